#!/usr/bin/env bash
# README.md holds the very table that `make bench` prints, to the last digit: the command is run and compared with it.
#
#     bench_table_test.sh PBDR SOURCE-FOLDER
#
# All of the text, where every peer is there in README's version and the bunny as well. Otherwise the cells of those that are:
# the others are skipped, which is said.
set -u
pbdr=$(realpath "$1")
root=$(realpath "$2")
. "$(dirname "$0")/expect.sh"
export LC_ALL=C

get_block() { sed -n '/^<!-- table: bench, /,/^<!-- end -->/p' "$root/README.md" | sed '1d;$d'; }

skip() # NAME REASON
{
    echo "SKIPPED $1: $2"
    skipped=$((skipped + 1))
}

# Cells of the columns and rows asked for, a line each: "ROW | COLUMN | TEXT".
list_cells() # FILE COLUMNS TESTS
{
    awk -F' *[|] *' -v columns=" $2 " -v tests="$3" '
        /^\| error at the end / { for (c = 3; c < NF; c++) head[c] = $c; next }
        /^\| [0-9]/ && substr($2, 1, 1) ~ tests { for (c = 3; c < NF; c++) if (index(columns, " " c " ")) print $2, "|", head[c], "|", $c }' "$1"
}

get_block >readme.md
check readme__has_the_table grep -q '^| error at the end ' readme.md
check readme__has_seven_columns awk -F'|' '/^\|/ && NF != 9 { exit 1 }' readme.md
expect bench__prints_the_table 0 "" "$pbdr" bench --table printed.md
cp out stdout.md
check bench__writes_what_it_prints cmp stdout.md printed.md

# Who is here as README.md says: columns of the table (3 pbd, pbd-r, xpbdr, mujoco, better of ODE and Bullet, floor 8)
columns="3 4 5 8" tests='^[1-7]$' whole=true
for peer in "mujoco 6" "ode 7" "bullet 7"; do
    set -- $peer
    version=$("$pbdr" info | grep -o "\b$1 [0-9][0-9.]*[0-9]" | head -n 1)
    if [ -z "$version" ]; then
        skip "column_of_$1__agrees" "$1 is not in this build"
        whole=false missing_of_7+=" $1"
    elif ! tr '\n' ' ' <readme.md | grep -qF "$version"; then
        skip "column_of_$1__agrees" "README.md has another version than $version"
        whole=false missing_of_7+=" $1"
    elif [ "$2" = 6 ]; then
        columns+=" 6"
    fi
done
[[ ${missing_of_7:-} == *ode* || ${missing_of_7:-} == *bullet* ]] || columns+=" 7"
if ! "$pbdr" info | grep -q '^bunny  *.*/bunny\.stl$'; then
    skip rows_of_tests_4_to_6__agree "the bunny is not here: scripts/setup.sh test fetches it"
    tests='^[1237]$' whole=false
fi

list_cells readme.md "$columns" "$tests" >wanted
list_cells printed.md "$columns" "$tests" >got
check cells__are_compared test "$(wc -l <wanted)" -ge 20
check cells__agree_to_every_printed_digit diff wanted got
if $whole; then
    check text__agrees_to_the_letter diff readme.md printed.md
fi

# The comparison sees a changed digit
awk -F'|' -v OFS='|' '/^\| 1 / { $3 = " 9.99 " } { print }' readme.md >spoiled.md
list_cells spoiled.md "$columns" "$tests" >spoiled
check comparison__sees_a_changed_digit bash -c '! cmp -s wanted spoiled' -

finish
