//! The engine's end of the pipe (docs/protocol.md) for adapters in Rust: serve(settings, engine).
use serde_json::{json, Map, Value};
use std::io::{BufRead, Write};

pub const PROTOCOL: u32 = 1;

pub trait Engine {
    fn version(&self) -> String;
    /// Makes the scene with every setting of its preset. An error that begins with "not supported" is no failure.
    fn create(&mut self, scene: &Value, options: &Map<String, Value>) -> Result<(), String>;
    fn step(&mut self, count: u64);
    /// Position, rotation w, x, y, z, velocity and angular velocity, world axes.
    fn read(&self, body: usize) -> [f64; 13];
    /// Sum of the contact forces of the last step [N]; None: not told.
    fn contact_force(&self, _body: usize) -> Option<[f64; 3]> {
        None
    }
}

pub fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}

pub fn vector(value: &Value) -> [f64; 3] {
    [number(&value[0]), number(&value[1]), number(&value[2])]
}

/// Processor time of this process [s].
fn processor_time() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}

/// Every setting of a preset: those of default, then the preset's own, for scenes with joints those of "joints", then what the
/// search is trying out.
fn find_options(settings: &Value, preset: &str, jointed: bool) -> Result<Map<String, Value>, String> {
    let mut options = settings["presets"]["default"].as_object().cloned().ok_or("no preset default")?;
    let tried = std::env::var("PBDR_ENGINE_SETTINGS").unwrap_or_else(|_| "{}".to_string());
    let tried: Value = serde_json::from_str(&tried).map_err(|error| error.to_string())?;
    let preset = if preset.is_empty() { "default" } else { preset };
    let joints = if jointed { &settings["joints"][preset] } else { &Value::Null };
    for more in [&settings["presets"][preset], joints, &tried] {
        for (key, value) in more.as_object().into_iter().flatten() {
            if options.insert(key.clone(), value.clone()).is_none() {
                return Err(format!("a setting that the preset default does not name: {key}"));
            }
        }
    }
    Ok(options)
}

fn is_unable(what: &str, scene: &Value) -> bool {
    let bodies = scene["bodies"].as_array().cloned().unwrap_or_default();
    match what {
        "restitution" => number(&scene["restitution"]) > 0.0,
        "rod" => bodies.iter().any(|body| body["prescribed"] == true),
        "many" => bodies.iter().filter(|body| body["prescribed"] != true).count() > 1,
        shape => bodies.iter().any(|body| body["shape"] == shape),
    }
}

fn answer<E: Engine>(engine: &mut E, settings: &Value, bodies: &mut usize, call: &Value) -> Result<Value, String> {
    let rows = |engine: &E, count: usize| -> Vec<Vec<Value>> {
        // what is not finite is null in serde_json as in the protocol
        (0..count).map(|k| engine.read(k).iter().map(|x| json!(x)).collect()).collect()
    };
    match call["call"].as_str().unwrap_or("") {
        "hello" => {
            let presets = settings["presets"].as_object().ok_or("no presets")?;
            let names: Vec<&str> = presets.keys().map(String::as_str).filter(|name| *name != "default").collect();
            Ok(json!({"ok": true, "protocol": PROTOCOL, "name": settings["engine"], "version": engine.version(),
                      "presets": names.join(","), "uses_spheres": false, "uses_joints": !settings["joints"].is_null()}))
        }
        "create" => {
            let scene = &call["scene"];
            let options = find_options(settings, scene["preset"].as_str().unwrap_or(""), !scene["joints"].is_null())?;
            for (what, why) in settings["not_supported"].as_object().into_iter().flatten() {
                if is_unable(what, scene) {
                    return Err(format!("not supported: {}", why.as_str().unwrap_or("")));
                }
            }
            engine.create(scene, &options)?;
            *bodies = scene["bodies"].as_array().map_or(0, Vec::len);
            let text: Vec<String> = options.iter().map(|(key, value)| format!("{key} {value}")).collect();
            let text: Vec<char> = text.join(", ").chars().collect();
            let mut notes = json!({"version": engine.version(), "precision": settings["precision"],
                                   "geometry": settings["geometry"][scene["bodies"][0]["shape"].as_str().unwrap_or("")]});
            for (k, part) in text.chunks(150).enumerate() {
                notes[format!("options{}", if k == 0 { String::new() } else { k.to_string() })] = part.iter().collect::<String>().into();
            }
            Ok(json!({"ok": true, "settings": notes, "bodies": rows(engine, *bodies)}))
        }
        "step" => {
            let begun = processor_time();
            engine.step(call["count"].as_u64().unwrap_or(0));
            let seconds = processor_time() - begun;
            let mut answer = json!({"ok": true, "flags": 0, "processor_s": seconds, "bodies": rows(engine, *bodies)});
            if call["forces"] == true {
                answer["contact_forces_N"] = (0..*bodies).map(|k| json!(engine.contact_force(k))).collect();
            }
            Ok(answer)
        }
        "destroy" => Ok(json!({"ok": true})),
        other => Err(format!("unknown call {other}")),
    }
}

pub fn serve<E: Engine>(settings: &str, mut engine: E) {
    let settings: Value = serde_json::from_str(settings).expect("settings.json");
    let mut bodies = 0;
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let result = serde_json::from_str(&line).map_err(|error| error.to_string());
        let result = result.and_then(|call: Value| answer(&mut engine, &settings, &mut bodies, &call));
        let text = result.unwrap_or_else(|error| json!({"ok": false, "error": error})).to_string();
        let mut output = std::io::stdout().lock();
        if writeln!(output, "{text}").and_then(|()| output.flush()).is_err() {
            return;
        }
    }
}
