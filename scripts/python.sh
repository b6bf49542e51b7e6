#!/usr/bin/env bash
# Builds the source distribution and, out of that, the wheel in build/wheels, and tests the wheel in a fresh environment,
# build/python-venv: pip check, pytest, mypy --strict on the samples, then the measurements of scripts/python_show.py.
#
#     scripts/python.sh [--write]          --write: the measurements become the table of docs/project/targets.md
#
# Needs a network for what pip installs; PYTHON chooses another interpreter than python3.
set -euo pipefail
cd "$(dirname "$0")/.."

wheels=$PWD/build/wheels
venv=$PWD/build/python-venv
rm -rf "$wheels" "$venv"
mkdir -p "$wheels"
echo "== fresh environment"
"${PYTHON:-python3}" -m venv "$venv"
"$venv/bin/pip" install --quiet -r python/requirements-test.txt
echo "== source distribution and wheel"
"$venv/bin/python" - "$wheels" <<'end'
import sys
from scikit_build_core.build import build_sdist
build_sdist(sys.argv[1])
end
"$venv/bin/pip" wheel --quiet --no-deps --wheel-dir "$wheels" "$wheels"/*.tar.gz
ls -l "$wheels"
"$venv/bin/pip" install --quiet "$wheels"/*.whl
"$venv/bin/pip" check
echo "== tests"
(cd tests/python && "$venv/bin/python" -m pytest -q -p no:cacheprovider .)
"$venv/bin/mypy" --strict --cache-dir=/dev/null samples/push.py samples/engine.py samples/identify.py samples/arm.py samples/hand.py samples/panda.py
echo "== measured"
"$venv/bin/python" scripts/python_show.py "$@"
