"""What a job prints, kept within bounds: its first and its last lines, whatever it prints between."""

from __future__ import annotations

from collections import deque

from paddle_doctor.core.secrets import hide_in_text

HEAD_BYTES = 128 * 1024
TAIL_BYTES = 256 * 1024
LINE_CHARACTERS = 2000
LINES_SHOWN = 60


class Output:
    """A bounded store of bytes: the head and the tail stay, `lost` counts the bytes between them."""

    def __init__(self) -> None:
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._held = 0
        self.lost = 0

    def add(self, chunk: bytes) -> None:
        """Take in what came next."""
        room = HEAD_BYTES - len(self._head)
        if room > 0:
            self._head += chunk[:room]
            chunk = chunk[room:]
        if not chunk:
            return
        self._tail.append(chunk)
        self._held += len(chunk)
        while self._held - len(self._tail[0]) >= TAIL_BYTES:
            gone = self._tail.popleft()
            self._held -= len(gone)
            self.lost += len(gone)

    def text(self) -> str:
        """All that was kept, as text with secrets hidden; NUL bytes, which Paddle prints, are dropped."""
        raw = bytes(self._head) + (b"\n[...]\n" if self.lost else b"") + b"".join(self._tail)
        text = raw.replace(b"\0", b"").decode("utf-8", errors="replace")
        return hide_in_text("\n".join(line[:LINE_CHARACTERS] for line in text.splitlines()))

    def last_lines(self) -> tuple[tuple[str, ...], int]:
        """The last lines that are not empty, and how many lines that were kept stand before them."""
        lines = [line.rstrip() for line in self.text().splitlines() if line.strip()]
        return tuple(lines[-LINES_SHOWN:]), max(0, len(lines) - LINES_SHOWN)
