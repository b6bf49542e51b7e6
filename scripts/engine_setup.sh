#!/bin/sh
# Sets up the environment of one engine of the leaderboard under build/engines/NAME, as engines/versions says:
#
#   scripts/engine_setup.sh drake
#
# pip installs what engines/NAME/requirements.lock has, each file checked by its sha256 (engines/common/lock.py writes it; on other
# platforms than its first line names, versions alone are pinned, and that is said); npm what package-lock.json has, by its integrity;
# cargo what Cargo.lock has, by its checksums. Of Debian's packages the versions that are here go into build/engines/NAME/packages.
#
# It is done once: build/engines/NAME/ok holds the line of engines/versions that it was made for. On failure the reason is in
# build/engines/NAME/failed, one line, which the leaderboard shows; the log is setup.log. Exit code 1 then.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
name=$1
line=$(awk -v name="$name" '$1 == name' "$root/engines/versions")
[ -n "$line" ] || { echo "engine_setup.sh: $name is not in engines/versions" >&2; exit 2; }
# shellcheck disable=SC2086
set -- $line
kind=$2
shift 2
home=$root/build/engines/$name
[ "${PBDR_ENGINE_DEVICE:-cpu}" = gpu ] && line="$line (gpu)"
mkdir -p "$home"
if [ -f "$home/ok" ] && [ "$(cat "$home/ok")" = "$line" ] && { [ "$kind" != cargo ] && [ "$kind" != apt ]; }; then
    exit 0
fi
rm -f "$home/ok" "$home/failed"
log=$home/setup.log
python=${PBDR_ENGINE_PYTHON:-python3}

fail() {
    reason=$(grep -iE 'error|could not|no matching|not found|unable' "$log" | tail -n 1 | cut -c 1-200)
    echo "set-up failed: ${reason:-$1}" > "$home/failed"
    echo "engine_setup.sh: $name: $(cat "$home/failed") (log: $log)" >&2
    exit 1
}

case $kind in
pip)
    if [ "${PBDR_ENGINE_DEVICE:-cpu}" = gpu ]; then # JAX's part for NVIDIA comes as an extra of the same version
        for package; do
            shift
            case $package in jax==*) package="jax[cuda12]==${package#jax==}" ;; esac
            set -- "$@" "$package"
        done
    fi
    lock=$root/engines/$name/requirements.lock
    here=$("$python" -c 'import platform, sys; print(f"{platform.python_implementation()} {sys.version_info.major}.{sys.version_info.minor}, {platform.system()} {platform.machine()}")')
    if [ "${PBDR_ENGINE_DEVICE:-cpu}" = cpu ] && [ "$(sed -n '1s/^# \(.*\): .*/\1/p' "$lock" 2> /dev/null)" = "$here" ]; then
        set -- --require-hashes --no-deps -r "$lock"
    else
        echo "engine_setup.sh: $name: engines/$name/requirements.lock is not for $here: versions are pinned, hashes are not checked" >&2
    fi
    { "$python" -m venv "$home/venv" && "$home/venv/bin/pip" install --disable-pip-version-check "$@"; } > "$log" 2>&1 || fail pip
    ;;
npm)
    { cp "$root/engines/$name/package.json" "$root/engines/$name/package-lock.json" "$home" && cd "$home" && npm ci --no-audit --no-fund; } \
        > "$log" 2>&1 || fail npm
    ;;
cargo)
    { cd "$root/engines/$name" && CARGO_TARGET_DIR=$home/target cargo build --release --locked && \
        cp "$home/target/release/adapter" "$home/adapter"; } > "$log" 2>&1 || fail cargo
    ;;
apt)
    missing=
    for package; do
        dpkg -s "$package" > /dev/null 2>&1 || missing="$missing $package"
    done
    : > "$log"
    if [ -n "$missing" ]; then
        # shellcheck disable=SC2086
        apt-get install -y $missing >> "$log" 2>&1 || fail "apt-get install$missing"
    fi
    { cmake -S "$root/engines/$name" -B "$home/build" -DCMAKE_BUILD_TYPE=Release && cmake --build "$home/build" && \
        cp "$home/build/adapter" "$home/adapter"; } >> "$log" 2>&1 || fail cmake
    ;;
builtin)
    if [ "$name" != pbdr ] && ! "$root/build/pbdr" bench --solvers "$name" --tests 1 --seeds 1 --duration 0.01 > "$log" 2>&1; then
        echo "set-up failed: build/pbdr was built without $name ($*)" > "$home/failed"
        exit 1
    fi
    ;;
*)
    echo "engine_setup.sh: $name: unknown kind $kind" >&2
    exit 2
    ;;
esac
if [ "$kind" = apt ] || { [ "$kind" = builtin ] && [ $# -gt 0 ]; }; then
    echo "$kind $(dpkg-query -W -f '${Package}=${Version} ' "$@" 2> /dev/null | sed 's/ $//')" > "$home/packages"
fi
echo "$line" > "$home/ok"
