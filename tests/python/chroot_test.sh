#!/usr/bin/env bash
# Installs the Python package in a bare Debian, a chroot with a compiler, python3-venv and python3-dev (Python's headers) and
# nothing else, and runs the five lines there: at most two minutes of processor time for pip install.
#
#     tests/python/chroot_test.sh [SUITE]       default: bookworm
#
# Needs root, debootstrap and a network (Debian's packages; pip's build requirements: scikit-build-core, nanobind, cmake,
# ninja; NumPy): `make try-python` runs it and `make test` does not.
set -euo pipefail
cd "$(dirname "$0")/../.."

refuse() { echo "NOT TRIED: the package in a bare Debian. $1" >&2; exit 1; } # REASON
[ "$(id -u)" -eq 0 ] || refuse "It needs root for chroot"
command -v debootstrap >/dev/null || refuse "debootstrap is missing: apt-get install debootstrap"

suite=${1:-bookworm}
work=$PWD/build/chroot-python
root=$work/root
cache=$work/cache
mkdir -p "$cache"
trap 'rm -rf --one-file-system "$root"' EXIT
rm -rf --one-file-system "$root"
debootstrap --variant=minbase --cache-dir="$cache" --include=ca-certificates,g++,python3-venv,python3-dev "$suite" "$root" \
    "${DEBIAN_MIRROR:-http://deb.debian.org/debian}" >"$work/debootstrap.log" 2>&1 || { tail -n 5 "$work/debootstrap.log"; refuse "debootstrap failed"; }
cp /etc/resolv.conf "$root/etc/resolv.conf"
for file in /etc/pip.conf "$HOME/.config/pip/pip.conf" "$HOME/.pip/pip.conf"; do # a mirror of this machine's
    [ ! -f "$file" ] || cp "$file" "$root/etc/pip.conf"
done
if [ -n "${SSL_CERT_FILE:-}" ] && [ -f "$SSL_CERT_FILE" ]; then
    cp "$SSL_CERT_FILE" "$root/etc/ssl/certs/ca-certificates.crt"
fi
mkdir "$root/src"
git ls-files -z --cached --others --exclude-standard | tar --null --files-from=- --ignore-failed-read -cf - 2>/dev/null | tar -xf - -C "$root/src"
cat >"$root/five.py" <<'end'
import pbdr
world = pbdr.World()                                  # XPBD-R, 1 ms
world.add_plane(friction=0.4)
box = world.add_body(pbdr.Shape.box(0.2, mass=4.0), position=(0, 0, 0.1))
box.force = (17, 0, 0); world.step(1000); print(box.position, box.contacts.force.sum(0))
assert abs(box.position[0] - 0.163) < 1e-12
end
cat >"$root/try.sh" <<'end'
set -e
python3 -m venv /venv
TIMEFORMAT='pip install .: %U s of processor time in user mode, %S s in the kernel'
time /venv/bin/pip install --quiet /src
/venv/bin/python /five.py
/venv/bin/pbdr bench --tests 1 --solvers xpbdr --seeds 1 --duration 1 2>/dev/null | grep xpbdr
end
environment=()
for name in PIP_INDEX_URL PIP_CERT http_proxy https_proxy HTTP_PROXY HTTPS_PROXY no_proxy; do
    [ -z "${!name:-}" ] || environment+=("$name=${!name}")
done
unshare --mount --pid --fork --mount-proc="$root/proc" chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    HOME=/root "${environment[@]}" bash /try.sh
echo "cases: 1 passed, 0 failed, 0 skipped"
