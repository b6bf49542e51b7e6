"""Keeps a Python adapter's libraries loaded: each run is a fork of one process that has imported them (16 s of processor time for
Genesis, 3 s for Newton, and the leaderboard starts an engine a hundred times).

    PYTHON engines/common/keeper.py SOCKET ADAPTER     # listens until its standard input ends; PYTHON is the engine's own
    python3 engines/common/keeper.py --to SOCKET       # what pbdr bench starts instead of serve.py: its pipes go to a fork

The fork has the pipes and the environment of whoever asked, begins with none of the parent's processor time, and ends when its
pipe does. The parent only imports: it makes no engine, so that no thread of one is lost in the fork.
"""

import json
import os
import select
import signal
import socket
import sys


def pass_on(path: str) -> int:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
        text = json.dumps(dict(os.environ)).encode()
        socket.send_fds(connection, [len(text).to_bytes(8, "little")], [0, 1, 2])
        connection.sendall(text)
        return 0 if connection.recv(1) == b"." else 1  # sent at the end; a fork that crashed closes without it


def receive(connection: socket.socket) -> tuple[list[int], dict[str, str]]:
    head, fds, _, _ = socket.recv_fds(connection, 8, 3)
    rest, text = int.from_bytes(head, "little"), b""
    while len(text) < rest:
        text += connection.recv(rest - len(text))
    return fds, json.loads(text)


def serve_fork(connection: socket.socket, adapter: str) -> None:
    fds, environment = receive(connection)
    os.environ.clear()
    os.environ.update(environment)
    for fd, own in zip(fds, (0, 1, 2)):
        os.dup2(fd, own)
        os.close(fd)
    from pbdr.bench import serve
    sys.argv = ["serve.py", adapter]
    serve.main()
    connection.sendall(b".")
    os._exit(0)  # libraries' own ways of ending may wait for threads that a fork has not


def keep(path: str, adapter: str) -> int:
    import serve as _  # noqa: F401, the source tree's pbdr.bench
    from pbdr.bench.serve import load_engine
    load_engine(adapter)  # for its imports
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()
        while True:
            ready, _, _ = select.select([listener, 0], [], [])
            if 0 in ready:  # whoever started it is gone
                return 0
            connection, _ = listener.accept()
            if os.fork() == 0:
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                serve_fork(connection, adapter)
            connection.close()


if __name__ == "__main__":
    sys.exit(pass_on(sys.argv[2]) if sys.argv[1] == "--to" else keep(sys.argv[1], sys.argv[2]))
