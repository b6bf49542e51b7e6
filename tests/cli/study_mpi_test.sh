#!/usr/bin/env bash
# Studies in parts (docs/cluster.md): shards, merge, and ranks of mpirun. A rank is killed ten times, at a place in its log
# or at random; what is merged in the end is what one process writes, but for the timings.
#
#     study_mpi_test.sh PBDR
set -u
pbdr=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
. "$here/expect.sh"
. "$here/study_common.sh"
unset SLURM_ARRAY_TASK_ID JOB_COMPLETION_INDEX

folder=parts.$$
what=(sweep --quick --solvers pbd-r,xpbdr --seeds 2)
jobs=36
"$pbdr" study "${what[@]}" --out "$folder.one" >/dev/null 2>&1
check study__one_process_writes_the_table test "$(lines "$folder.one/sweep.csv")" -eq $((jobs + 1))
same() { cmp <(untimed "$folder.one/sweep.csv") <(untimed "$1/sweep.csv"); }
# LOG...: how many results there are, and that no key is there twice
results() { grep -hv '^pbdr-study-log' "$@" | cut -f1 | sort | uniq | wc -l; }
nothing_twice() { [ -z "$(grep -hv '^pbdr-study-log' "$@" | cut -f1 | sort | uniq -d)" ]; }

# --- shards ------------------------------------------------------------------------------------------------------------
for i in 0 1 2; do
    expect "shard__${i}_of_3_runs" 0 "" "$pbdr" study "${what[@]}" --out "$folder.shards" --shard $i/3
    check "shard__${i}_has_its_jobs" test "$(results "$folder.shards/sweep.shard-$i-of-3.log")" -eq 12
done
check shards__write_no_table test ! -e "$folder.shards/sweep.csv"
check shards__do_nothing_twice nothing_twice "$folder.shards"/*.log
expect merge__makes_the_table 0 "" "$pbdr" study merge "${what[@]}" --out "$folder.shards"
check merge__is_what_one_process_writes same "$folder.shards"
expect merge__says_what_is_missing 1 "36 of 72 jobs are in no log" "$pbdr" study merge sweep --quick --solvers pbd-r,xpbdr --seeds 4 --out "$folder.shards"
expect shard__of_slurms_array 0 "" env SLURM_ARRAY_TASK_ID=7 SLURM_ARRAY_TASK_MIN=5 SLURM_ARRAY_TASK_STEP=2 SLURM_ARRAY_TASK_COUNT=4 "$pbdr" study "${what[@]}" --out "$folder.a"
expect shard__of_a_kubernetes_job 0 "" env JOB_COMPLETION_INDEX=2 JOB_COMPLETIONS=4 "$pbdr" study "${what[@]}" --out "$folder.b"
check shard__of_an_array_has_its_log test -s "$folder.a/sweep.shard-1-of-4.log" -a -s "$folder.b/sweep.shard-2-of-4.log"
expect shard__without_a_number_is_refused 2 "give --shard I/N" env JOB_COMPLETION_INDEX=2 "$pbdr" study "${what[@]}" --out "$folder.c"
expect shard__that_is_none_is_refused 2 "I from 0 to N-1" "$pbdr" study "${what[@]}" --shard 3/3
"$pbdr" study "${what[@]}" --out "$folder.a" --shard 0/4 >/dev/null 2>&1
"$pbdr" study "${what[@]}" --out "$folder.b" --shard 3/4 >/dev/null 2>&1
expect merge__takes_other_folders 0 "" "$pbdr" study merge "${what[@]}" --out "$folder.a" --from "$folder.b"
check merge__of_folders_is_what_one_process_writes same "$folder.a"

# --- ranks -------------------------------------------------------------------------------------------------------------
if ! command -v mpirun >/dev/null || [ ! -e "$(dirname "$pbdr")/pbdr_mpi.so" ]; then
    echo "skipped ranks__make_the_table: no mpirun, or a build without MPI (Debian: openmpi-bin, libopenmpi-dev)"
    skipped=$((skipped + 1))
    finish
    exit
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl=self,vader
ranks() { timeout 120 mpirun --oversubscribe -n 4 "$pbdr" study "${what[@]}" --out "$1"; }
expect ranks__make_the_table 0 "" ranks "$folder.whole"
check ranks__make_what_one_process_writes same "$folder.whole"
check ranks__do_nothing_twice nothing_twice "$folder.whole"/*.log
check ranks__have_a_log_each test "$(ls "$folder.whole"/sweep.rank-?.log | wc -l)" -eq 4
expect ranks__need_a_module 1 "this build has no MPI" env PBDR_MPI_MODULE=/nowhere/pbdr_mpi.so mpirun --oversubscribe -n 2 "$pbdr" study "${what[@]}" --out "$folder.none"

# Each time a rank at random is killed, once some job more is in the logs. Longer jobs, and more of them: so that there is
# something to do after the tenth time.
what=(sweep --solvers pbd,pbd-r)
jobs=384
"$pbdr" study "${what[@]}" --out "$folder.one" >/dev/null 2>&1
killed=0 lost=0 victims=()
for time in $(seq 10); do
    before=$(cat "$folder.killed"/sweep.rank-*.log 2>/dev/null | grep -cv '^pbdr-study-log')
    mpirun --oversubscribe -n 4 "$pbdr" study "${what[@]}" --out "$folder.killed" >/dev/null 2>&1 &
    launcher=$!
    while kill -0 $launcher 2>/dev/null &&
        [ "$(cat "$folder.killed"/sweep.rank-*.log 2>/dev/null | grep -cv '^pbdr-study-log')" -le "$before" ]; do
        sleep 0.005
    done
    read -r -a victims 2>/dev/null <"/proc/$launcher/task/$launcher/children" # the ranks: mpirun has no others
    if [ "${#victims[@]}" -gt 0 ]; then
        kill -9 "${victims[RANDOM % ${#victims[@]}]}" 2>/dev/null && killed=$((killed + 1))
    fi
    wait $launcher 2>/dev/null
    after=$(cat "$folder.killed"/sweep.rank-*.log 2>/dev/null | grep -cv '^pbdr-study-log')
    [ "$after" -ge "$before" ] || lost=1
done
check ranks__had_something_left_to_do test "$(results "$folder.killed"/*.log)" -lt $jobs
check ranks__were_killed_ten_times test "$killed" -eq 10
check ranks__that_are_killed_lose_no_line test "$lost" -eq 0
expect ranks__go_on_to_the_end 0 "" ranks "$folder.killed"
check ranks__that_were_killed_make_what_one_process_writes same "$folder.killed"
check ranks__that_were_killed_do_nothing_twice nothing_twice "$folder.killed"/*.log
check ranks__leave_nobody nobody_is_left "$folder.killed"
finish
