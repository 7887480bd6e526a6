"""A service that listens on loopback and prints its port."""

import signal
import socket

with socket.socket() as service:
    service.bind(("127.0.0.1", 0))
    service.listen()
    print(service.getsockname()[1], flush=True)
    signal.pause()
