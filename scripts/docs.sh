#!/usr/bin/env bash
# The documentation site: build/site, HTML of README.md, docs/, the notebooks and the API. mkdocs-material makes HTML that
# needs no network to be read: no page asks a foreign host (scripts/foreign_hosts.py looks through all of them).
#
#     scripts/docs.sh [--exit-77-offline]      with it: exit code 77 where what it needs cannot be fetched
#
# What it needs is fetched into build/docs-venv, in the versions of scripts/docs_requirements.txt.
set -euo pipefail
cd "$(dirname "$0")/.."

offline=1
[ "${1:-}" != --exit-77-offline ] || offline=77

venv=build/docs-venv
wanted=$(sha256sum scripts/docs_requirements.txt)
if [ "$(cat "$venv/of" 2>/dev/null)" != "$wanted" ]; then
    [ -x "$venv/bin/python" ] || python3 -m venv "$(realpath -m "$venv")" # which refuses a link
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --timeout 20 --retries 1 -r scripts/docs_requirements.txt ||
        { echo "docs: mkdocs-material is missing, and pip could not fetch it (offline?)" >&2; exit "$offline"; }
    printf '%s\n' "$wanted" >"$venv/of"
fi
"$venv/bin/python" scripts/docs_site.py
NO_MKDOCS_2_WARNING=1 "$venv/bin/python" -m mkdocs build --quiet --strict --config-file build/mkdocs.yml
code=0
"$venv/bin/python" scripts/docs_site.py --finish || code=$?
[ "$code" -ne 77 ] || exit "$offline"
[ "$code" -eq 0 ] || exit 1
if ! "$venv/bin/python" scripts/foreign_hosts.py build/site; then
    echo "docs: these pages fetch something from a foreign host when they are read" >&2
    exit 1
fi
echo "docs: build/site/index.html ($(find build/site -name '*.html' | wc -l) pages)"
