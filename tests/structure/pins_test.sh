#!/usr/bin/env bash
# What is fetched is fetched in one version and refused if it is another file: MuJoCo's library, the bunny, npm's parts, the
# documentation site's. And one MuJoCo is in README.md's table, the leaderboard and the laboratory. Needs no network.
#
#     tests/structure/pins_test.sh SOURCE_DIR
set -u
root=$(realpath "$1")
. "$(dirname "$0")/../cli/expect.sh"
unset PBDR_NO_SETUP PBDR_BUNNY

# --- One MuJoCo ---

version=$(sed -n 's/^readonly VERSION=//p' "$root/scripts/fetch_mujoco.sh")
check mujoco__has_a_pinned_version test -n "$version"
check mujoco__of_the_leaderboard_is_the_library_s grep -qE "^mujoco +pip +mujoco==$version( |$)" "$root/engines/versions"
check mujoco__of_the_laboratory_is_the_library_s grep -qF "\"@mujoco/mujoco\": \"$version\"" "$root/web/package.json"
check mujoco__of_the_python_tests_is_the_library_s grep -qx "mujoco==$version" "$root/python/requirements-test.txt"
check mujoco__of_the_readme_is_the_library_s bash -c 'tr "\n" " " <"$1/README.md" | grep -qF "mujoco $2 has the paper"' - "$root" "$version"

# --- MuJoCo's wheel, with a pip that fetches what it is told to ---

mkdir tree bin && mkdir tree/scripts
cp "$root/scripts/fetch_mujoco.sh" tree/scripts/
fake_wheel() # FOLDER: its parts, zipped by Python
{
    mkdir -p "$1/mujoco/include/mujoco" "$1/mujoco-$version.dist-info/licenses"
    touch "$1/mujoco/include/mujoco/mujoco.h" "$1/mujoco/libmujoco.so.$version" "$1/mujoco/libmujoco.$version.dylib" "$1/mujoco-$version.dist-info/licenses/LICENSE"
    (cd "$1" && python3 -m zipfile -c ../wheel.whl mujoco "mujoco-$version.dist-info")
}
if ! command -v python3 >/dev/null; then
    echo "SKIPPED wheels: no python3 to make one"
    skipped=$((skipped + 1))
elif ! grep -q "^$(uname -sm) *|" tree/scripts/fetch_mujoco.sh; then
    echo "SKIPPED wheels: no wheel is pinned for $(uname -sm)"
    skipped=$((skipped + 1))
else
    fake_wheel parts
    real=$(command -v python3)
    cat >bin/python3 <<EOF
#!/bin/sh
[ "\$1 \$2" = "-m pip" ] || exec $real "\$@"
[ "\$3" != --version ] || exit 0
echo "\$@" >>$scratch/asked
while [ "\$1" != --dest ]; do shift; done
cp $scratch/wheel.whl "\$2/mujoco-$version-fake.whl"
EOF
    chmod +x bin/python3
    fetch() { PATH=$scratch/bin:$PATH bash tree/scripts/fetch_mujoco.sh "$@"; }
    fetch >said 2>&1
    check wheel__of_another_sum_is_refused grep -q "mujoco-$version-fake.whl is refused: its sha256 is .*, and scripts/fetch_mujoco.sh wants " said
    check wheel__that_is_refused_leaves_nothing test ! -e tree/build/mujoco
    check wheel__that_is_refused_is_not_there bash -c '! bash tree/scripts/fetch_mujoco.sh --check'
    check wheel__is_asked_for_by_version grep -q "mujoco==$version\$" asked
    sum=$(sha256sum wheel.whl | cut -d ' ' -f 1)
    sed -i "s/^\($(uname -sm) *|.*| *\)[0-9a-f]*\$/\1$sum/" tree/scripts/fetch_mujoco.sh
    fetch >said 2>&1
    check wheel__of_the_right_sum_is_taken bash tree/scripts/fetch_mujoco.sh --check
    check wheel__of_the_right_sum_has_its_licence test -f tree/build/mujoco/LICENSE
    mv "tree/build/mujoco/libmujoco.so.$version" tree/build/mujoco/libmujoco.so.9.9.9 && rm "tree/build/mujoco/libmujoco.$version.dylib"
    check folder__of_another_version_is_not_there bash -c '! bash tree/scripts/fetch_mujoco.sh --check'
    fetch >said 2>&1
    check folder__of_another_version_is_replaced bash -c 'grep -q "holds another MuJoCo than" said && bash tree/scripts/fetch_mujoco.sh --check && [ ! -e tree/build/mujoco/libmujoco.so.9.9.9 ]'
fi

# --- The bunny, without a network and without rights: nothing but these programs ---

mkdir tools house && cp -r "$root/scripts" house/
for tool in bash env sh sed grep mkdir mktemp cp rm mv chmod cut cat head tail sort tr id flock uname dirname basename paste sha256sum shasum cc gcc cmake awk; do
    path=$(command -v "$tool") && ln -sf "$path" "tools/$tool"
done
echo "solid no bunny" >impostor.stl
PATH=$scratch/tools PBDR_BUNNY=$scratch/impostor.stl bash house/scripts/setup.sh bench >said 2>&1
check bunny__of_another_sum_is_refused grep -q "impostor.stl: not the benchmark's mesh (sha256 .*, wanted " said
check bunny__that_is_refused_is_not_taken bash -c '! cmp -s impostor.stl house/build/data/bunny.stl'

# --- npm's parts, the documentation site's ---

check npm__parts_are_named_exactly bash -c '! sed -n "/ependencies\"/,/}/p" "$1/web/package.json" | grep -E ": \"[^0-9]"' - "$root"
check npm__parts_are_locked_by_sum bash -c '[ "$(grep -c "\"integrity\": \"sha512-" "$1/web/package-lock.json")" = "$(grep -c "^    \"node_modules/" "$1/web/package-lock.json")" ]' - "$root"
check npm__takes_what_is_locked bash -c 'grep -q "npm ci" "$1/scripts/web.sh" && ! grep -rn "npm install" "$1/scripts/web.sh"' - "$root"
check docs__parts_are_named_exactly bash -c '! grep -vE "^#|^[A-Za-z0-9_-]+==[0-9.]+$" "$1/scripts/docs_requirements.txt"' - "$root"
finish
