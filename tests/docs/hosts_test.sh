#!/usr/bin/env bash
# No page asks a foreign host for anything while it is read: the documentation site, the leaderboard, replays, the laboratory,
# the report. scripts/foreign_hosts.py looks; here it is seen to find each way of asking, and then sent through the pages.
#
#     tests/docs/hosts_test.sh SOURCE_DIR BUILD_DIR
#
# A page that cannot be built here is said, and its templates are looked through.
set -u
root=$(realpath "$1")
build=$(realpath "$2")
. "$(dirname "$0")/../cli/expect.sh"

skip() # NAME REASON
{
    echo "SKIPPED $1: $2"
    skipped=$((skipped + 1))
}

if ! command -v python3 >/dev/null; then
    skip pages__ask_no_foreign_host "no python3 to look through them"
    finish
    exit
fi
look() { python3 "$root/scripts/foreign_hosts.py" "$@"; }

# --- Each way of asking is found, and what is none is not ---

try() # NAME EXIT-CODE SUFFIX TEXT
{
    printf '%s\n' "$4" >"try.$3"
    local got=0
    look "try.$3" >/dev/null || got=$?
    check "$1" test "$got" -eq "$2"
}
try image__is_found 1 html '<img src="https://a.example/x.png">'
try image_set__is_found 1 html '<img srcset="x.png, //a.example/x.png 2x">'
try script__is_found 1 html '<script src="//a.example/x.js"></script>'
try style__is_found 1 html '<link rel="stylesheet" href="http://a.example/x.css">'
try icon__is_found 1 html '<link rel="icon" href="http://a.example/x.ico">'
try preconnect__is_found 1 html '<link rel="preconnect" href="https://a.example">'
try frame__is_found 1 html '<iframe src="https://a.example/"></iframe>'
try drawing__is_found 1 svg '<svg xmlns="http://www.w3.org/2000/svg"><image href="https://a.example/x.png"/></svg>'
try font__is_found 1 css '@font-face { font-family: a; src: url("https://a.example/x.woff2") }'
try import__is_found 1 css '@import "//a.example/x.css";'
try style_of_a_page__is_found 1 html '<style>body { background: url(https://a.example/x.png) }</style>'
try style_of_an_element__is_found 1 html '<p style="background: url(//a.example/x.png)">a</p>'
try fetch__is_found 1 js 'const answer = await fetch("https://a.example/x.json");'
try script_of_a_page__is_found 1 html '<script type="module">import "https://a.example/x.js";</script>'
try handler__is_found 1 html "<p onclick=\"fetch('https://a.example')\">a</p>"
try refresh__is_found 1 html '<meta http-equiv="refresh" content="0; url=https://a.example/">'
if command -v node >/dev/null; then # as web/build.mjs packs its scripts
    packed=$(node -e '
        const { gzipSync } = require("node:zlib");
        const source = require("node:fs").readFileSync(process.argv[1], "utf8");
        const digits = eval(source.match(/const DIGITS = (.*);/)[1]);
        const encode = new Function("DIGITS", source.match(/function encode[\s\S]*?\n}\n/)[0] + "return encode;")(digits);
        process.stdout.write(encode(gzipSync(Buffer.from("fetch(\"https://a.example/packed\")"))));' "$root/web/build.mjs")
    try packed_script__is_found 1 html "<script type=\"text/plain\" id=\"pbdr-app\">$packed</script>"
fi
try link_to_click__is_fine 0 html '<link rel="canonical" href="https://a.example/"><a href="https://a.example/">a</a>'
try own_files__are_fine 0 html '<img src="x.png"><script src="x/y.js"></script><img src="data:image/png;base64,AA//AA">'
try name_of_a_language__is_fine 0 js 'document.createElementNS("http://www.w3.org/2000/svg", "path"); // https://a.example'

# --- The pages ---

clean() # NAME FILE|FOLDER...
{
    local name=$1
    shift
    check "${name}__asks_no_foreign_host" look "$@"
}
clean leaderboard "$root/docs/leaderboard" "$root/engines/common/page.html"
clean pictures "$root/docs/images"
clean templates "$root/web/lab.html" "$root/web/replay.html" "$root/web/src"
for page in replay lab; do
    if [ -f "$build/web/$page.html" ]; then
        clean "$page" "$build/web/$page.html"
    else
        skip "${page}__asks_no_foreign_host" "build/web/$page.html is not here (make lab makes it); its template and sources were looked through"
    fi
done
template=$build/web/replay.html
[ -f "$template" ] || template=$root/tests/web/template.html
if [ -x "$build/pbdr" ]; then
    check view__is_made "$build/pbdr" view --test 1 --solver xpbdr -o view.html --template "$template"
    clean view view.html
    if command -v gnuplot >/dev/null; then
        check report__is_made "$build/pbdr" report --results "$root/bench/results" --out report
        clean report report
    else
        skip report__asks_no_foreign_host "no gnuplot to make it"
    fi
fi

# --- The site: in a copy of what it is made of, so that nobody's build/site changes under it ---

mkdir -p site/build
cp -r "$root"/{README.md,CHANGELOG.md,mkdocs.yml,docs,include,python,scripts} site/
# What is fetched for it is kept for the next time.
mkdir -p "$build/docs-venv" && ln -s "$build/docs-venv" site/build/
[ ! -f "$build/iframe-worker.tgz" ] || cp "$build/iframe-worker.tgz" site/build/
code=0
(cd site && bash scripts/docs.sh --exit-77-offline) >docs.log 2>&1 || code=$?
[ ! -f site/build/iframe-worker.tgz ] || cp site/build/iframe-worker.tgz "$build/"
if [ "$code" -eq 77 ]; then
    skip site__asks_no_foreign_host "it cannot be built: $(tail -n 1 docs.log)"
    check site__template_asks_no_foreign_host bash -c 'grep -q "font: false" "$1/mkdocs.yml" && ! grep -E "https?://" "$1/mkdocs.yml"' - "$root"
else
    check site__is_built test "$code" -eq 0
    [ "$code" -eq 0 ] || sed 's/^/    /' docs.log
    check site__has_its_pages test "$(find site/build/site -name '*.html' | wc -l)" -ge 50
    clean site site/build/site
    sed -i 's#</head>#<script src="https://a.example/x.js"></script></head>#' site/build/site/index.html
    check site__that_was_spoilt_is_found bash -c '! python3 "$1/scripts/foreign_hosts.py" site/build/site' - "$root"
fi
finish
