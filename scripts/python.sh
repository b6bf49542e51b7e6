#!/usr/bin/env bash
# Builds the wheel and the source distribution in build/wheels and tests the wheel in a fresh environment, build/python-venv:
# pip check, pytest, mypy --strict on the samples, then the measurements of scripts/python_show.py (--write: into docs/python.md).
#
#     scripts/python.sh [--write]
#
# Needs a network for what pip installs; PYTHON chooses another interpreter than python3.
set -euo pipefail
cd "$(dirname "$0")/.."

python=${PYTHON:-python3}
wheels=$PWD/build/wheels
venv=$PWD/build/python-venv
rm -rf "$wheels"
mkdir -p "$wheels"
echo "== wheel"
"$python" -m pip wheel --quiet --no-deps --wheel-dir "$wheels" .
ls -l "$wheels"
echo "== fresh environment"
rm -rf "$venv"
"$python" -m venv "$venv"
"$venv/bin/pip" install --quiet -r python/requirements-test.txt "$wheels"/*.whl
"$venv/bin/pip" check
echo "== source distribution"
"$venv/bin/python" - "$wheels" <<'end'
import sys
from scikit_build_core.build import build_sdist
print(build_sdist(sys.argv[1]))
end
echo "== tests"
(cd tests/python && "$venv/bin/python" -m pytest -q -p no:cacheprovider .)
"$venv/bin/mypy" --strict --cache-dir=/dev/null samples/push.py samples/engine.py samples/identify.py
echo "== measured"
"$venv/bin/python" scripts/python_show.py "$@"
