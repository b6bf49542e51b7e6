# Sourced by the studies' tests.
# Lines of a file, 0 if it is not there yet.
lines() { if [ -f "$1" ]; then wc -l <"$1"; else echo 0; fi; }
# FILE COUNT PID: waits until the file has that many lines, or the process has ended.
await_lines() { while [ "$(lines "$1")" -lt "$2" ] && kill -0 "$3" 2>/dev/null; do sleep 0.005; done; }
# The table without its two columns of timing.
untimed() { rev "$1" | cut -d, -f3- | rev; }
# FOLDER: no process that was started for it is left. Orphans see at their next frame that they are; the brackets keep grep from finding itself.
nobody_is_left()
{
    local try
    for try in $(seq 500); do
        grep -qsaE -- "[${1:0:1}]${1:1}" /proc/[0-9]*/cmdline || return 0
        sleep 0.02
    done
    return 1
}
# FAULT COMMAND...: the command with that fault (bench/studies/fault.c) is killed. The shell's own word on it is left out.
is_killed()
{
    local fault=$1
    shift
    {
        env PBDR_STUDY_FAULT="$fault" "$@" >/dev/null 2>&1 &
        wait $!
    } 2>/dev/null
    [ $? -eq 137 ]
}
