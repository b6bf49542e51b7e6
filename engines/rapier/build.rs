//! Tells the adapter which version of the engine Cargo.lock has.
fn main() {
    println!("cargo:rerun-if-changed=Cargo.lock");
    let lock = std::fs::read_to_string("Cargo.lock").unwrap_or_default();
    let after = lock.split("name = \"rapier3d-f64\"\nversion = \"").nth(1).unwrap_or("unknown\"");
    println!("cargo:rustc-env=RAPIER_VERSION={}", after.split('"').next().unwrap_or("unknown"));
}
