#!/usr/bin/env bash
# Plants the faults of tests/mutants/*.txt one after the other in a copy of the tree, and says which of them no test sees.
#
#     scripts/mutants.sh [--check | --named] [PART-OF-A-NAME...]
#
# Each fault is built and run with the tests that it names; if they pass, with all that are labelled quick (--named: not
# so). --check only looks for the texts. Exit 0: at least 95 % of those tried were seen, and every text was found.
# tests/mutants/README.md describes the lists. ccache is used if it is there.
set -euo pipefail
cd "$(dirname "$0")/.."

jobs=${JOBS:-$(nproc 2>/dev/null || echo 2)}
bar=95
check=no named_only=no
case ${1:-} in
    --check) check=yes; shift ;;
    --named) named_only=yes; shift ;;
esac
parts=("$@")
work=$PWD/build-mutants
tree=$work/tree
mkdir -p "$work"

# --- The lists, into parallel arrays ---

names=() files=() laws=() tests=() olds=() news=() whys=() ends=()
read_lists()
{
    local line last=-1
    while IFS= read -r line; do
        case $line in
            '#'* | '') ;;
            '['*']')
                last=$((last + 1))
                names+=("${line:1:-1}") files+=('') laws+=('') tests+=('') olds+=('') news+=('') whys+=('') ends+=('') ;;
            'file '*) files[last]=${line#file } ;;
            'law '*) laws[last]=${line#law } ;;
            'tests '*) tests[last]=${line#tests } ;;
            'harmless '*) whys[last]+="${whys[last]:+ }${line#harmless }" ;;
            'gone '*) ends[last]+="${ends[last]:+ }${line#gone }" ;;
            '- '*) olds[last]+="${olds[last]:+ }${line#- }" ;;
            '+ '*) news[last]+="${news[last]:+ }${line#+ }" ;;
            '+') ;; # replaced by nothing
            *)
                echo "mutants: not understood: $line" >&2
                exit 2 ;;
        esac
    done < <(cat tests/mutants/*.txt)
}

is_chosen() # NAME
{
    [ ${#parts[@]} -eq 0 ] && return 0
    local part
    for part in "${parts[@]}"; do
        [[ $1 == *"$part"* ]] && return 0
    done
    return 1
}

# --- Planting ---

# FILE OLD NEW: replaces the only occurrence of OLD, white space aside. Prints how many there are; 1: replaced.
replace()
{
    OLD=$2 NEW=$3 WRITES=${4:-yes} perl -e '
        open(my $in, "<", $ARGV[0]) or die; local $/; my $text = <$in>; close $in;
        my $old = join("\\s*", map { quotemeta } grep { /\S/ } split(//, $ENV{OLD}));
        my $count = () = $text =~ /$old/g;
        if ($count == 1 && $ENV{WRITES} eq "yes") {
            $text =~ s/$old/$ENV{NEW}/; open(my $out, ">", $ARGV[0]) or die; print $out $text; close $out;
        }
        print $count;' "$1"
}

# INDEX FOLDER: the file under FOLDER that holds the text once, where it was or where it has moved to.
place=''
find_place()
{
    local file=${files[$1]} count moved=()
    place=''
    if [ -f "$2/$file" ]; then
        count=$(replace "$2/$file" "${olds[$1]}" '' no)
        [ "$count" = 1 ] && { place=$file; return 0; }
        [ "$count" -gt 1 ] && { echo "NOT UNIQUE ${names[$1]}: $count times in $file"; return 1; }
    fi
    while IFS= read -r file; do
        count=$(replace "$2/$file" "${olds[$1]}" '' no)
        [ "$count" = 0 ] || moved+=("$file:$count")
    done < <(cd "$2" && git -C "$OLDPWD" ls-files -co --exclude-standard 'src/*.[ch]' 'bench/*.[ch]')
    if [ ${#moved[@]} -eq 1 ] && [ "${moved[0]##*:}" = 1 ]; then
        place=${moved[0]%:*}
        echo "moved      ${names[$1]}: from ${files[$1]} to $place"
        return 0
    elif [ ${#moved[@]} -gt 0 ]; then
        echo "NOT UNIQUE ${names[$1]}: ${moved[*]} (file: count)"
    else
        echo "NOT FOUND  ${names[$1]}: ${files[$1]} has no: ${olds[$1]}"
    fi
    return 1
}

# --- Building and running ---

# Targets of tests: a program has its test's name, scripts need the command.
get_targets() # TEST...
{
    local test
    for test in "$@"; do
        case $test in
            cli* | plugin | cost | speed) echo pbdr_cli ;;
            physics_reduced) echo "$test" ;; # a program of its own
            *_reduced) echo "${test%_reduced}" ;;
            *) echo "${test%_long}" ;;
        esac
    done | sort -u
}

build() # TARGET...
{
    cmake --build "$tree/build" --parallel "$jobs" ${1:+--target "$@"} >"$work/build.log" 2>&1
}

run_tests() # CTEST-OPTIONS...
{
    ctest --test-dir "$tree/build" --parallel "$jobs" --timeout 600 --no-tests=error --output-on-failure "$@" \
        >"$work/test.log" 2>&1
}

get_pattern() { local IFS='|'; echo "^($*)\$"; } # TEST...

list_failed() { sed -n 's/^[ \t]*[0-9]* - \([^ ]*\) (.*/\1/p' "$work/test.log" | paste -sd ' '; }

copy_tree()
{
    rm -rf "$tree"
    mkdir -p "$tree/build"
    git ls-files -co --exclude-standard -z | while IFS= read -r -d '' file; do
        [ -e "$file" ] && printf '%s\0' "$file"
    done | tar --null -T - -cf - | tar -xf - -C "$tree"
    local data
    for data in data mujoco; do
        [ -d "build/$data" ] && cp -rp "build/$data" "$tree/build/"
    done
    local launcher=()
    command -v ccache >/dev/null && launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
    (cd "$tree" && cmake --preset release "${launcher[@]}") >"$work/build.log" 2>&1
}

show_log() { tail -n 30 "$1" | sed 's/^/    /'; } # FILE

# --- The run ---

read_lists
killed=0 survived=() lost=() harmless=0 gone=0
if [ "$check" = no ]; then
    copy_tree || { show_log "$work/build.log"; exit 1; }
    build || { show_log "$work/build.log"; exit 1; }
    chosen=()
    for ((k = 0; k < ${#names[@]}; k++)); do
        is_chosen "${names[k]}" && [ -z "${whys[k]}${ends[k]}" ] && read -ra some <<<"${tests[k]}" && chosen+=("${some[@]}")
    done
    if [ ${#chosen[@]} -gt 0 ] && ! run_tests -R "$(get_pattern "${chosen[@]}")"; then
        echo "mutants: tests fail without a fault: $(list_failed)"
        exit 1
    fi
fi
for ((k = 0; k < ${#names[@]}; k++)); do
    name=${names[k]}
    is_chosen "$name" || continue
    if [ -n "${ends[k]}" ]; then
        echo "gone       $name: ${ends[k]}"
        gone=$((gone + 1))
        continue
    fi
    if [ -z "${files[k]}" ] || [ -z "${olds[k]}" ] || [ -z "${laws[k]}" ]; then
        echo "INCOMPLETE $name: needs file, law, a line with - and one with +"
        lost+=("$name")
        continue
    fi
    root=$([ "$check" = yes ] && echo "$PWD" || echo "$tree")
    if ! find_place "$k" "$root"; then
        lost+=("$name")
        continue
    fi
    if [ -n "${whys[k]}" ]; then
        echo "harmless   $name: ${whys[k]}"
        harmless=$((harmless + 1))
        continue
    fi
    [ "$check" = no ] || continue
    cp "$tree/$place" "$work/original"
    replace "$tree/$place" "${olds[k]}" "${news[k]}" >/dev/null
    read -ra named <<<"${tests[k]}"
    outcome=''
    if ! build $(get_targets "${named[@]}"); then
        outcome=lost
        echo "NO BUILD   $name: ${place}"
        grep -m 3 -E 'error|No rule' "$work/build.log" | sed 's/^/    /' || true
    elif ! run_tests -R "$(get_pattern "${named[@]}")"; then
        outcome=killed
        echo "killed     $name: $(list_failed)"
    elif [ "$named_only" = yes ]; then
        outcome=survived
        echo "SURVIVED   $name: ${laws[k]} (${named[*]} alone)"
    elif ! build; then
        outcome=lost
        echo "NO BUILD   $name: ${place}"
    elif ! run_tests -L '^quick$'; then
        outcome=killed
        echo "killed     $name: not by ${named[*]}, but by $(list_failed)"
    else
        outcome=survived
        echo "SURVIVED   $name: ${laws[k]}"
    fi
    case $outcome in
        killed) killed=$((killed + 1)) ;;
        survived) survived+=("$name") ;;
        lost) lost+=("$name") ;;
    esac
    cp "$work/original" "$tree/$place" # of now, not of then: the build must see it
done

if [ "$check" = yes ]; then
    echo "mutants: ${#lost[@]} of ${#names[@]} texts not found or not unique${lost[*]:+: ${lost[*]}}"
    [ ${#lost[@]} -eq 0 ]
    exit
fi
tried=$((killed + ${#survived[@]}))
percent=$((tried > 0 ? 100 * killed / tried : 0))
echo
[ ${#survived[@]} -eq 0 ] || printf 'survived: %s\n' "${survived[@]}"
[ ${#lost[@]} -eq 0 ] || printf 'NOT APPLICABLE: %s\n' "${lost[@]}"
echo "mutants: killed $killed of $tried ($percent %), survived ${#survived[@]}, harmless $harmless, gone $gone, not applicable ${#lost[@]}"
[ "$percent" -ge "$bar" ] && [ ${#lost[@]} -eq 0 ]
