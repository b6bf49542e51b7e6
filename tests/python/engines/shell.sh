#!/bin/sh
# An engine behind the pipe without Python: a body that never moves. PROTOCOL says which version it claims to speak.
while read -r line; do
    case $line in
        *'"hello"'*) echo "{\"ok\": true, \"protocol\": ${PROTOCOL:-1}, \"name\": \"still\", \"version\": \"1\"}" ;;
        *'"create"'* | *'"step"'*) echo '{"ok": true, "bodies": [[0,0,0.1, 1,0,0,0, 0,0,0, 0,0,0]]}' ;;
        *) echo '{"ok": true}' ;;
    esac
done
