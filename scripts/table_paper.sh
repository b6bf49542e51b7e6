# shellcheck shell=bash
# The tables of docs/paper.md, for scripts/pages.sh: every claim of the paper, its value and ours.
#
# report/data/paper.csv has a row per claim, in the paper's order:
#
#     key      a name, for other rows
#     part     which table it stands in: table_paper_PART
#     kind     claim; again: one that was made before; setting: no claim; look: our own second look at the claim before it
#     where    the label or section in the paper's source
#     claim    what is claimed
#     printed  the paper's value as it prints it
#     value    the same as a number, or as a formula like ours
#     rule     =  a number: reproduced within a factor of two
#              <  >  >=  an order: reproduced if ours is below the value, above it, or no less
#              -  cannot be compared; docs/paper.md says why
#     unit     of both
#     ours     a formula
#
# Formulas are in reverse Polish notation: numbers, + - * / ^ log sqrt max min < >, and
#
#     mean:FILE:COLUMN:FILTER    of the rows of bench/results/FILE.csv, or report/data/FILE.csv, that were measured and that
#                                FILTER (name=value&name=value, ~ for a space) takes; max, min and count likewise
#     [1,2,3|FORMULA]            the sum of the formula with @ replaced by each; [#1,2,3|FORMULA] replaces #
#     [1,2,3?FORMULA]            the first for which the formula is not 0
#     as:KEY                     another row's
#
# On the bunny, rows of solvers that touch by its surface are those of the raw mesh, which the paper used (raw.csv; files
# without a column `base` know no other), unless FILTER names a base. The paper's solver may be called pbdr or pbd-r.
readonly PAPER_AWK='
# A line of CSV with quotes, into cells
function split_csv(line, cells,    n, c, k, quoted, text) {
    n = 0; text = ""; quoted = 0
    for (k = 1; k <= length(line); k++) {
        c = substr(line, k, 1)
        if (c == "\"") { if (quoted && substr(line, k + 1, 1) == "\"") { text = text c; k++ } else quoted = !quoted }
        else if (c == "," && !quoted) { cells[++n] = text; text = "" }
        else text = text c
    }
    cells[++n] = text
    return n
}
function fail(text) { printf "pages: paper: %s\n", text > "/dev/stderr"; bad = 1 }
# Columns and rows of a file, once; those of the raw mesh, which have a file of their own, count as rows of the tests.
function load(file) {
    if (file in rows) return
    rows[file] = 0
    read_rows(file, file == "h200" ? "report/data/h200.csv" : results "/" file ".csv")
    if (!rows[file]) fail(results "/" file ".csv is missing or empty")
    if (file == "tests") read_rows(file, results "/raw.csv")
}
function read_rows(file, path,    line, names, titles, width, k, row) {
    while ((getline line < path) > 0) {
        if (line ~ /^#/) continue
        width = index(line, "\"") ? split_csv(line, names) : split(line, names, ",")
        if (titles[1] == "") {
            for (k = 1; k <= width; k++) header[file, titles[k] = names[k]] = 1
            continue
        }
        row = ++rows[file]
        for (k = 1; k <= width; k++) if (names[k] != "") cells[file, row, titles[k]] = names[k]
    }
    close(path)
}
function has(file, name) { return ((file, name) in header) }
function get(file, row, name,    text) {
    if (!has(file, name)) { fail(file ".csv has no column " name); return "" }
    text = (file, row, name) in cells ? cells[file, row, name] : ""
    if (name == "solver" && text ~ /^pbdr/) sub(/^pbdr/, "pbd-r", text)
    return text
}
function same(a, b) { return a == b || (a ~ /^[-+.0-9]/ && b ~ /^[-+.0-9]/ && a !~ /[^-+.0-9e]/ && b !~ /[^-+.0-9e]/ && a + 0 == b + 0) }
# The rows that a filter takes
function takes(file, row, filter,    terms, count, k, place) {
    count = split(filter, terms, "&")
    for (k = 1; k <= count; k++) {
        place = index(terms[k], "=")
        if (!same(get(file, row, substr(terms[k], 1, place - 1)), substr(terms[k], place + 1))) return 0
    }
    if (has(file, "outcome") && get(file, row, "outcome") != "measured") return 0
    if (has(file, "base") && filter !~ /base=/ && get(file, row, "base") == "flat") return 0
    return 1
}
function reduce(what, file, column, filter,    call) {
    call = what ":" file ":" column ":" filter
    if (!(call in known)) known[call] = compute(what, file, column, filter)
    return known[call]
}
function compute(what, file, column, filter,    row, sum, count, value, most, least) {
    gsub(/~/, " ", filter)
    load(file)
    for (row = 1; row <= rows[file]; row++) {
        if (!takes(file, row, filter)) continue
        if (what == "count") { count++; continue }
        value = get(file, row, column)
        if (value == "" || value == "nan") continue
        if (!count++) most = least = value + 0
        sum += value
        if (value + 0 > most) most = value + 0
        if (value + 0 < least) least = value + 0
    }
    if (what == "count") return count + 0
    if (!count && ++misses <= 3) printf "pages: paper: nothing in %s.csv for %s of %s\n", file, filter, column > "/dev/stderr"
    if (!count) return ""
    return what == "mean" ? sum / count : what == "max" ? most : least
}
# Lists: the innermost first, so that each has one sign
function expand(text,    open, close_, sign, k, c, inner, body, items, count, done, one, mark) {
    while ((close_ = index(text, "]")) > 0) {
        open = 0
        for (k = close_; k > 0 && !open; k--) if (substr(text, k, 1) == "[") open = k
        inner = substr(text, open + 1, close_ - open - 1)
        for (sign = 1; sign <= length(inner); sign++) { c = substr(inner, sign, 1); if (c == "|" || c == "?") break }
        mark = "@"
        if (inner ~ /^#/) { mark = "#"; inner = substr(inner, 2); sign-- }
        count = split(substr(inner, 1, sign - 1), items, ","); body = substr(inner, sign + 1); done = ""
        for (k = 1; k <= count; k++) {
            one = body
            gsub(mark, items[k], one)
            if (c == "|") done = done (k > 1 ? " " : "") one (k > 1 ? " +" : "")
            else if (evaluate(one) + 0 != 0) { done = items[k]; break }
        }
        text = substr(text, 1, open - 1) done substr(text, close_ + 1)
    }
    return text
}
# A formula; "" where a number is missing
function evaluate(text,    tokens, count, k, t, stack, top, a, b, parts, n) {
    text = expand(text)
    count = split(text, tokens, " ")
    for (k = 1; k <= count; k++) {
        t = tokens[k]
        if (t ~ /^(mean|max|min|count):/) { n = split(t, parts, ":"); for (a = 5; a <= n; a++) parts[4] = parts[4] ":" parts[a]; stack[++top] = reduce(parts[1], parts[2], parts[3], parts[4]) }
        else if (t ~ /^as:/) { sub(/^as:/, "", t); if (!(t in oursOf)) fail("no row " t); stack[++top] = evaluate(oursOf[t]) }
        else if (t == "log" || t == "sqrt") { a = stack[top]; stack[top] = a == "" || a + 0 <= 0 ? "" : t == "log" ? log(a) : sqrt(a) }
        else if (t ~ /^([-+*\/^<>]|max|min)$/) {
            b = stack[top--]; a = stack[top]
            if (a == "" || b == "") stack[top] = ""
            else if (t == "+") stack[top] = a + b
            else if (t == "-") stack[top] = a - b
            else if (t == "*") stack[top] = a * b
            else if (t == "/") stack[top] = b + 0 == 0 ? "" : a / b
            else if (t == "^") stack[top] = a ^ b
            else if (t == "<") stack[top] = a + 0 < b + 0
            else if (t == "max") stack[top] = a + 0 > b + 0 ? a : b
            else if (t == "min") stack[top] = a + 0 < b + 0 ? a : b
            else stack[top] = a + 0 > b + 0
        }
        else if (t ~ /^-?[0-9.]+(e-?[0-9]+)?$/) stack[++top] = t + 0
        else fail("what is " t "?")
    }
    if (top != 1) { if (text != "") fail("no formula: " text); return "" }
    return stack[1]
}
function judge(rule, value, ours) {
    if (rule == "-") return "cannot be compared"
    if (ours == "" || value == "") return "no result"
    if (value + 0 == 0) return ours + 0 == 0 ? "reproduced" : "not reproduced"
    if (rule == "<") return ours + 0 < value + 0 ? "reproduced" : "not reproduced"
    if (rule == ">=") return ours + 0 >= value + 0 ? "reproduced" : "not reproduced"
    if (rule == ">") return ours + 0 > value + 0 ? "reproduced" : "not reproduced"
    return ours / value >= 0.5 && ours / value <= 2 ? "reproduced" : "not reproduced"
}
FNR > 1 && !/^#/ {
    split_csv($0, c)
    k = ++claims
    part[k] = c[2]; kind[k] = c[3]; where[k] = c[4]; claim[k] = c[5]; printed[k] = c[6]; valueOf[k] = c[7]; rule[k] = c[8]; unit[k] = c[9]
    oursOf[c[1]] = formula[k] = c[10]
    if (kind[k] == "claim") { number++; letter = 0 }
    label[k] = kind[k] == "claim" ? number : kind[k] == "look" ? number sprintf("%c", 97 + letter++) : ""
    if (part[k] == "") fail("a claim without a part: " $0)
}
function brief(x,    text) { text = show(x, 3); return text == "1" && x != 1 ? show(x, 4) : text }
END {
    if (wanted != "summary") print "| | where | claim | paper | ours | ratio | verdict |\n|---|---|---|---|---|---|---|"
    for (k = 1; k <= claims; k++) {
        if (wanted != "summary" ? part[k] != wanted : kind[k] != "claim") continue
        ours = formula[k] == "" ? "" : evaluate(formula[k])
        value = valueOf[k] == "" ? "" : evaluate(valueOf[k])
        verdict = judge(rule[k], value, ours)
        if (kind[k] == "setting" && rule[k] != "-") verdict = verdict == "reproduced" ? "the same" : verdict
        tally[verdict]++
        if (wanted == "summary") continue
        with = unit[k] == "" ? "" : " " unit[k]
        printf "| %s | %s | %s | %s | %s | %s | %s |\n", label[k], where[k], claim[k], (printed[k] == "=" ? show(value, 4) with : printed[k]),
            (ours == "" ? "-" : brief(ours) with), (ours == "" || value == "" || value + 0 == 0 ? "-" : show(ours / value, 2)), verdict
    }
    if (misses > 3) printf "pages: paper: and nothing for %d more\n", misses - 3 > "/dev/stderr"
    if (bad) exit 1
    if (wanted == "summary") printf "By our count the paper makes %d claims. %d are reproduced, %d are not, and %d cannot be compared.\n", number, tally["reproduced"], tally["not reproduced"], tally["cannot be compared"]
}'

write_paper_part() # PART
{
    awk -F, -v results="$results" -v wanted="$1" "$AWK$PAPER_AWK" report/data/paper.csv
}
table_paper_summary() { write_paper_part summary | wrap; }
for paper_part in $(awk -F, 'FNR > 1 && !/^#/ && !seen[$2]++ { print $2 }' report/data/paper.csv 2>/dev/null); do
    eval "table_paper_$paper_part() { write_paper_part $paper_part; }"
done

# docs/pushing.md: the force that the paper gives its rod, and what it does.
table_rod()
{
    awk -F, "$AWK"'
    { force[NR] = cell("force_N"); limit = cell("friction_limit_N"); moved[NR] = cell("moved_m"); count = NR }
    END {
        if (bad || count < 3) exit 1
        printf "Friction holds the box with up to μ M g = 0.4 · 4 kg · 9.81 m/s² = %s N. The paper gives its rod a force of %s N, which is %s of that.\n", show(limit, 3), show(force[2], 2), show(force[2] / limit, 2)
        printf "`scripts/paper.sh` puts a rod on a guide, pushes it with that force for ten seconds, and sees the box move by %s m. The same rod under %s N moves it by %s m.\n", show(moved[2], 1), show(force[3], 2), show(moved[3], 2)
    }' "$results/paper_rod.csv" | wrap
}
