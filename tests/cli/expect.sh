# Sourced by the command line's tests: a scratch folder to stand in, expect, check, and the count at the end.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
passed=0 failed=0 skipped=0

# NAME EXIT-CODE TEXT-ON-STDERR COMMAND...: runs it and compares.
expect()
{
    local name=$1 code=$2 text=$3 got=0
    shift 3
    "$@" >out 2>err || got=$?
    if [ "$got" -ne "$code" ]; then
        echo "    exit code $got, wanted $code: $*"
        sed 's/^/    /' err
    elif [ -n "$text" ] && ! grep -qF -- "$text" err; then
        echo "    stderr lacks '$text':"
        sed 's/^/    /' err
    else
        passed=$((passed + 1))
        echo "ok      $name"
        return 0
    fi
    failed=$((failed + 1))
    echo "FAILED  $name"
    return 1
}

# NAME CONDITION...: a command that must succeed.
check()
{
    local name=$1
    shift
    if "$@" >check_out 2>&1; then
        passed=$((passed + 1))
        echo "ok      $name"
    else
        failed=$((failed + 1))
        sed 's/^/    /' check_out
        echo "FAILED  $name"
    fi
}

finish()
{
    echo "cases: $passed passed, $failed failed, $skipped skipped"
    [ "$failed" -eq 0 ]
}
