#!/usr/bin/env bash
# The documentation site in build/site, without warnings: scripts/docs_site.py lays the pages out, mkdocs-material makes HTML that
# needs no network to be read.
set -euo pipefail
cd "$(dirname "$0")/.."

venv=build/python-venv
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/python" -c 'import material, mkdocs' 2>/dev/null ||
    "$venv/bin/python" -m pip install --quiet 'mkdocs-material>=9.5' ||
    { echo "docs: mkdocs-material is missing, and pip could not fetch it (offline?)" >&2; exit 1; }
"$venv/bin/python" scripts/docs_site.py
NO_MKDOCS_2_WARNING=1 "$venv/bin/python" -m mkdocs build --quiet --strict --config-file build/mkdocs.yml
if grep -rlE '(src|href)="https?://[^"]*\.(js|css|woff2?)"' build/site --include='*.html' | head -n 3 | grep .; then
    echo "docs: these pages fetch something when they are read" >&2
    exit 1
fi
echo "docs: build/site/index.html ($(find build/site -name '*.html' | wc -l) pages)"
