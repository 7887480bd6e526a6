"""Keeps a port of loopback closed: bound, so that nobody else takes it, and never listening."""

import signal
import socket

with socket.socket() as closed:
    closed.bind(("127.0.0.1", 0))
    print(closed.getsockname()[1], flush=True)
    signal.pause()
