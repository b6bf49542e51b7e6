#!/usr/bin/env bash
# The tables of README.md and docs/ are what scripts/pages.sh writes from the results in bench/results/; and the script itself.
# Every result matters to a page, and no table of numbers stands where nothing writes it.
#
#     pages_test.sh SOURCE-FOLDER
set -u
root=$(realpath "$1")
. "$(dirname "$0")/expect.sh"
pages() { PBDR_ROOT=${copy:-$root} bash "$root/scripts/pages.sh" "$@"; }

expect pages__are_what_the_results_say 0 "" pages --check
check readme__has_its_table grep -q "^<!-- table: bench, .* -->$" "$root/README.md"
for name in tests masses double cost resolution; do
    check "results__has_table_$name" grep -q "^<!-- table: $name, .* -->$" "$root/docs/results.md"
done
# one word for one thing: 40 words of our own, with those that stand in another word's line
check glossary__is_short test "$(grep '^| ' "$root/docs/glossary.md" | grep -cv '^| word ')" -gt 20 -a \
    "$(($(grep '^| ' "$root/docs/glossary.md" | grep -cv '^| word ') + $(grep -oE '(^|[^*])\*[^*]+\*' "$root/docs/glossary.md" | wc -l)))" -le 40
check shapes__has_its_table grep -q "^<!-- table: shapes, .* -->$" "$root/docs/shapes.md"
check docs__have_their_tables bash -c 'grep -q "^<!-- table: studies," "$1/docs/studies.md" && grep -q "^<!-- table: references," "$1/docs/benchmark.md" && grep -q "^<!-- table: check," "$1/docs/pushing.md" && grep -q "^<!-- table: models," "$1/docs/pushing.md" &&
    grep -q "^<!-- table: packings," "$1/docs/packing.md"' - "$root"
check results__has_its_tables bash -c 'for name in extended extended_position extended_laws extended_time; do grep -q "^<!-- table: $name, build/pbdr study extended " "$1/docs/results.md" || exit 1; done' - "$root"
# every test has a row with a cell for each solver and two more
check results__tables_are_whole awk -F'|' '/^\| test: figure/ { n = NF } /^\| (8|9|1[0-9]|2[0-9]|3[0-7]): [a-z ]* \[[A-Za-z\/]*\] \|/ && n > 0 && rows < 30 { rows++; if (NF != n) exit 1 } END { exit rows != 30 }' "$root/docs/results.md"
check results__say_why_there_is_no_number grep -q "^-: .pbd., .pbd-r. in tests 15, 19, 20, 24, 25: restitution" "$root/docs/results.md"

# A table of numbers outside of the marks: one in which over a third of the cells, but for the first of each row, begin with a number.
find_loose_tables() # PAGE...
{
    awk '
        function judge() { if (cells > 0 && numbers > cells / 3) print page ":" first ": " numbers " of " cells " cells are numbers, and no command writes them"; cells = numbers = 0 }
        FNR == 1 { judge(); marked = 0 } { page = FILENAME }
        /^<!-- (table|python|gpu[a-z-]*): / { judge(); marked = 1 } /^<!-- (end|\/python|\/gpu[a-z-]*) -->/ { marked = 0 }
        !/^\|/ { judge(); next }
        marked { next }
        /^\|[-:| ]*$/ { first = FNR; next }
        { n = split($0, cell, " *\\| *"); for (k = 3; k < n; k++) { cells++; numbers += cell[k] ~ /^[-+<~]?\.?[0-9]/ } }
        END { judge() }' "$@"
}
# docs/gpu.md and docs/cluster.md have a script of their own
if command -v python3 >/dev/null; then
    expect gpu_page__is_what_the_results_say 0 "" python3 "$root/scripts/gpu_page.py" --check
    mkdir -p "$scratch/gpu/docs/project" "$scratch/gpu/scripts" "$scratch/gpu/bench/results"
    cp "$root/scripts/gpu_page.py" "$scratch/gpu/scripts/" && cp "$root"/bench/results/{gpu_*,uncertainty_*,scaling*}.csv "$scratch/gpu/bench/results/"
    cp "$root/docs/gpu.md" "$scratch/gpu/docs/"
    sed '/^| xpbdr, true surface/s/| [0-9.e-]* |$/| 0.5 |/' "$root/docs/cluster.md" >"$scratch/gpu/docs/cluster.md"
    expect cluster_page__that_was_changed_is_found 1 "docs/cluster.md: not what" python3 "$scratch/gpu/scripts/gpu_page.py" --check
    sed '/^| 1 pushed box/s/| 10 | [0-9.e]* |/| 10 | 9.8e7 |/' "$root/docs/gpu.md" >"$scratch/gpu/docs/gpu.md"
    expect gpu_page__that_was_changed_is_found 1 "docs/gpu.md: not what" python3 "$scratch/gpu/scripts/gpu_page.py" --check
    # and docs/project/targets.md
    expect python_page__is_what_the_results_say 0 "" python3 "$root/scripts/python_show.py" --check
    cp "$root/scripts/python_show.py" "$scratch/gpu/scripts/" && cp "$root/bench/results/python.csv" "$scratch/gpu/bench/results/"
    sed '/^| friction from a push/s/| [0-9.]* % |/| 0.001 % |/' "$root/docs/project/targets.md" >"$scratch/gpu/docs/project/targets.md" && cp "$root/docs/python.md" "$scratch/gpu/docs/"
    expect python_page__that_was_changed_is_found 1 "docs/project/targets.md: not what" python3 "$scratch/gpu/scripts/python_show.py" --check
    sed 's/| missed |$/| met |/; s/missed by [0-9.e-]* %/met/g; s/| met |$/| missed |/' "$root/docs/project/targets.md" >"$scratch/gpu/docs/project/targets.md"
    expect python_page__whose_verdicts_were_changed_is_found 1 "docs/project/targets.md: not what" python3 "$scratch/gpu/scripts/python_show.py" --check
    sed '/^| import and first step/s/| [0-9.]* s |/| 0.001 s |/' "$root/docs/python.md" >"$scratch/gpu/docs/python.md"
    expect python_page__of_users_that_was_changed_is_found 1 "docs/python.md: not what" python3 "$scratch/gpu/scripts/python_show.py" --check
fi
loose=$(find_loose_tables "$root"/README.md "$root"/docs/*.md "$root"/docs/*/*.md)
check tables_of_numbers__are_written_by_a_command test -z "$loose" || echo "$loose"
printf '| a | b |\n|---|---|\n| x | 1.5 m |\n' >loose.md
check loose_table__is_found test -n "$(find_loose_tables loose.md)"
check definitions__are_no_loose_table test -z "$(printf '| a | b |\n|---|---|\n| x | a length, 1.5 m |\n' >words.md; find_loose_tables words.md)"
check cost__has_the_given_figures grep -q "^| 64 | .* | $(awk -F, '$1 == "pbd-r" && $2 == 64 { print $3 }' "$root/report/data/h200.csv") |$" "$root/docs/results.md"
check shapes__flags_are_told bash -c 'grep -q "[^ ] raised a flag" "$1/docs/shapes.md"' - "$root"

# A copy to spoil
copy=$scratch/copy
mkdir -p "$copy/docs" "$copy/bench" "$copy/report/data"
cp "$root/README.md" "$copy/"
cp "$root"/docs/{shapes,results}.md "$copy/docs/"
cp "$root/report/data/h200.csv" "$copy/report/data/"
mkdir "$copy/bench/results" && cp "$root"/bench/results/{tests,budget,time,resolution-inertia,resolution-contact,shapes,sides,meshes,speed,extended}.csv "$copy/bench/results/"
cp "$root/bench/results/bench.md" "$copy/bench/results/"
expect copy__is_right 0 "" pages --check
cp "$copy/docs/results.md" results

sed -i '/^| 1 pushed box/s/| [0-9.]* |/| 9.87 |/' "$copy/docs/results.md"
expect changed_number__is_found 1 "docs/results.md is not what the results say" pages --check
check changed_number__is_shown grep -q "^< | 1 pushed box \[m\] | 9.87 |" err
check check__changes_nothing grep -q "9.87" "$copy/docs/results.md"
expect from_results__writes_it_anew 0 "docs/results.md" pages --from-results
check from_results__gives_the_page_back cmp results "$copy/docs/results.md"

# Another result is another page: means, tumbling, a flag, a run that diverged
results=$copy/bench/results
awk -F, -v OFS=, 'NR == 1 { for (k = 1; k <= NF; k++) at[$k] = k } $1 == 1 && $2 == "pbd" { $at["final_position_error_m"] = 2 + $at["seed"]; if ($at["seed"] == 2) $at["max_tilt_deg"] = 31 }
    $1 == 3 && $2 == "pbd-r" { $at["flags"] = "not_converged" } $1 == 6 && $2 == "pbd" && $at["seed"] == 1 { $at["outcome"] = "diverged" } { print }' "$root/bench/results/tests.csv" >"$results/tests.csv"
expect results__changed_are_found 1 "docs/results.md is not what the results say" pages --check
expect results__changed_are_written 0 "" pages --from-results
check results__means_are_over_the_seeds grep -q "^| 1 pushed box \[m\] | 4 (1 of 3 tumble) |" "$copy/docs/results.md"
check results__flags_are_marked bash -c 'grep -q "^| 3 box on slope \[m\] | [^|]* | [^|]* ! |" "$1/docs/results.md" && grep -q "^!: a run raised a flag" "$1/docs/results.md"' - "$copy"
check results__divergence_is_marked grep -q "^| 6 bunny on slope \[m\] | [^|]* (1 diverged) |" "$copy/docs/results.md"
awk -F, -v OFS=, 'NR == 1 { for (k = 1; k <= NF; k++) at[$k] = k } NR > 1 { $at["t4_flags"] = $at["t6_flags"] = 0 } { print }' "$root/bench/results/shapes.csv" >"$results/shapes.csv"
expect shapes__without_flags 0 "" pages --from-results
check shapes__without_flags_says_so bash -c 'tr "\n" " " <"$1/docs/shapes.md" | grep -q "stay upright: [^ ]* deg\. No run raised a flag\." && ! grep -q flagged "$1/docs/shapes.md"' - "$copy"

# Every table says what the results say: with two or three times their numbers, row by row, each one is another
whole=$scratch/whole
mkdir -p "$whole/bench/results" "$whole/report"
cp -r "$root/README.md" "$root/docs" "$whole/"
cp -r "$root/report/data" "$whole/report/"
for file in "$root"/bench/results/*.csv; do
    [[ $file == *_series.csv ]] || awk -F, -v OFS=, 'NR > 1 { for (k = 3; k <= NF; k++) if ($k ~ /^-?[0-9.]+(e[-+]?[0-9]+)?$/) $k = (2 + NR % 2) * $k } { print }' \
        "$file" >"$whole/bench/results/${file##*/}"
done
awk '/^\| [0-9]/ { gsub(/1/, "3") } { print }' "$root/bench/results/bench.md" >"$whole/bench/results/bench.md"
copy=$whole expect spoiled_results__are_found 1 "is not what the results say" pages --check
copy=$whole expect spoiled_results__are_written 0 "" pages --from-results
get_table() { sed -n "/^<!-- table: $1, /,/^<!-- end -->/p" "$2"/README.md "$2"/docs/*.md "$2"/docs/*/*.md; } # NAME ROOT
for name in $(sed -n 's/^<!-- table: \([^,]*\), .*/\1/p' "$root"/README.md "$root"/docs/*.md "$root"/docs/*/*.md); do
    check "table_${name}__follows_the_results" test "$(get_table "$name" "$root")" != "$(get_table "$name" "$whole")"
done

# The paper's claims: none without a result; the verdict follows the printed value, and ours
check paper__has_a_result_for_each_claim bash -c '! grep -q "| no result |" "$1/docs/paper.md" && ! grep -q "| [-+]*\(nan\|inf\) " "$1/docs/paper.md"' - "$root"
check paper__has_every_part bash -c 'for part in $(awk -F, "FNR > 1 { print \$2 }" "$1/report/data/paper.csv" | sort -u); do grep -q "^<!-- table: paper_$part, " "$1/docs/paper.md" || exit 1; done' - "$root"
paper=$scratch/paper
mkdir -p "$paper/docs" "$paper/report/data" "$paper/bench"
cp -r "$root/bench/results" "$paper/bench/" && cp "$root/README.md" "$paper/" && cp "$root"/report/data/*.csv "$paper/report/data/"
sed -n '/paper_ablation,/,/^<!-- end -->/p' "$root/docs/paper.md" >"$paper/docs/paper.md"
get_verdicts() { sed -n 's/^| [0-9]* | tab:ablation | Without the velocity update: position, at 10 s | .* | \([a-z ]*\) |$/\1/p' "$paper/docs/paper.md"; }
spoil_printed() { sed "s/^\(velocity_position_error_m_final,.*\),1.33 m,1.33,/\1,1.33 m,$1,/" "$root/report/data/paper.csv" >"$paper/report/data/paper.csv"; } # VALUE
for at in "1.33 reproduced" "2.6 reproduced" "2.8 not reproduced" "0.68 reproduced" "0.66 not reproduced"; do # ours is 1.337
    spoil_printed "${at%% *}"
    copy=$paper expect "paper__is_written_with_${at%% *}" 0 "" pages --from-results
    check "paper__verdict_is_a_factor_of_two_at_${at%% *}" test "$(get_verdicts)" = "${at#* }"
done
cp "$root/report/data/paper.csv" "$paper/report/data/"
sed -i 's/^pbd-r,velocity,position_error_m/pbdr,velocity,position_error_m/' "$paper/bench/results/ablation_table.csv"
copy=$paper expect paper__reads_the_solver_by_its_old_name 0 "" pages --from-results
check paper__old_name_gives_the_same test "$(get_verdicts)" = reproduced
sed -i '/,velocity,position_error_m/d' "$paper/bench/results/ablation_table.csv"
copy=$paper expect paper__missing_result_is_said 0 "nothing in ablation_table.csv for solver=pbd-r&ablate=velocity&quantity=position_error_m" pages --from-results
check paper__missing_result_is_shown test "$(get_verdicts)" = "no result"
# Of the two bases of the bunny, the raw one is the paper's: in the tests' own file, or in one beside it
sed -n '/paper_tests,/,/^<!-- end -->/p' "$root/docs/paper.md" >"$paper/docs/paper.md"
cp "$paper/docs/paper.md" paper_tests
awk -F, -v OFS=, 'NR == 1 { base = NF + 1; for (k = 1; k <= NF; k++) if ($k == "base") base = k } { $base = NR == 1 ? "base" : $base == "flat" ? "flat" : $1 ~ /^[456]$/ && $2 !~ /^pbd/ ? "raw" : "" ; print }' \
    "$root/bench/results/tests.csv" >both.csv
spoil_base() { awk -F, -v OFS=, 'NR == 1 { for (k = 1; k <= NF; k++) { at[$k] = k; if ($k == "base") base = k } } $base == "raw" { $base = "flat"; $at["final_position_error_m"] *= 7; $at["max_tilt_deg"] *= 7 } { print }' "$1"; } # FILE
if head -n 1 "$root/bench/results/tests.csv" | grep -q ',base,'; then
    cp "$root"/bench/results/{tests,raw}.csv "$paper/bench/results/"
else
    spoil_base both.csv >"$paper/bench/results/tests.csv"
    awk -F, 'NR == 1 { for (k = 1; k <= NF; k++) if ($k == "base") base = k; print; next } $base == "raw"' both.csv >"$paper/bench/results/raw.csv"
fi
copy=$paper expect paper__with_a_file_of_the_raw_mesh_is_written 0 "" pages --from-results
check paper__takes_the_raw_mesh cmp paper_tests "$paper/docs/paper.md"
spoil_base "$paper/bench/results/raw.csv" >flat.csv && mv flat.csv "$paper/bench/results/raw.csv"
copy=$paper expect paper__without_the_raw_mesh_says_so 0 "nothing in tests.csv for test=4&solver=mujoco" pages --from-results

# What cannot be written is said, and the page stays
cp "$copy/docs/results.md" results
rm "$results/time.csv"
expect missing_results__are_named 1 "table 'cost' cannot be made" pages --from-results
check missing_results__leave_the_page cmp results "$copy/docs/results.md"
cp "$root/bench/results/time.csv" "$results/" && sed -i 1s/particles/balls/ "$results/time.csv"
expect missing_column__is_named 1 "there is no column particles" pages --from-results
cp "$root/bench/results/time.csv" "$results/"
sed -i 's/<!-- table: cost,/<!-- table: costs,/' "$copy/docs/results.md"
expect unknown_table__is_named 1 "there is no table 'costs'" pages --from-results
cp results "$copy/docs/results.md" && sed -i '0,/^<!-- end -->$/{/^<!-- end -->$/d}' "$copy/docs/results.md"
expect missing_end__is_named 1 "<!-- end --> is missing" pages --from-results
expect unknown_option__is_refused 2 "--frobnicate" pages --frobnicate

# The commands: each once; one that fails ends it
cp results "$copy/docs/results.md"
sed -i 's/^\(<!-- table: [^,]*, \).* -->$/\1echo ran >>ran; false -->/' "$copy/README.md" "$copy"/docs/*.md
expect run__stops_at_a_failure 1 "failed: echo ran" pages
sed -i 's/; false -->/ -->/' "$copy/README.md" "$copy"/docs/*.md
rm -f "$copy/ran"
expect run__runs_the_commands 0 "pages: echo ran >>ran" pages
check run__runs_each_command_once test "$(wc -l <"$copy/ran")" -eq 1
# make bench prints its table: it is told to keep it
sed -i 's/^\(<!-- table: bench, \).* -->$/\1make bench -->/' "$copy/README.md"
printf '.PHONY: bench\nbench:\n\t@echo "$(ARGS)" >asked\n' >"$copy/Makefile"
expect run__makes_the_bench 0 "pages: make bench" pages
check run__keeps_the_table_of_the_bench grep -qx -- "--table bench/results/bench.md" "$copy/asked"
finish
