"""The blocks that Paddle's C++ side prints: error summaries in their old and new forms, and signals."""

from __future__ import annotations

import re

from paddle_doctor.subjects.joblog.model import ErrorSummary, SignalBlock

#: ``*** SIGTERM (@0x42af) received by PID 17083 (TID 0x7f..) from PID 17071 ***``; older glog adds ``; stack trace:``.
_SIGNAL = re.compile(
    r"\*\*\* (?P<signal>SIG[A-Z]{2,6}) \(@0x(?P<address>[0-9a-fA-F]{1,16})\) received by PID (?P<pid>\d{1,10})"
    r"(?:.{0,60}?from PID (?P<sender>\d{1,20}))?"
)
_TIME = re.compile(r"\*\*\* Aborted at (\d{9,11}) \(unix time\)")
_FATAL = re.compile(
    r"^\s{0,8}FatalError: (?:`(?P<what>[^`]{1,80})` is detected by the operating system"
    r"|(?P<old>A serious error .{0,80}))"
)
_SUMMARY_HEADER = "Error Message Summary:"
_SUMMARY = re.compile(
    r"^\s{0,8}(?P<type>[A-Z]\w{2,60}(?:Error|Fatal|Error :)|ExternalError|Error|FatalError):\s?(?P<message>.*)$"
)
_HINT = re.compile(r"^\s{0,8}\[Hint: (?P<hint>.{1,1000}?)\]?(?: \(at (?P<place>\S{1,300})\))?$")
_PLACE = re.compile(r"\(at (?P<place>\S{1,300}?)\)|at \[(?P<old>/\S{1,300})\]")

#: What Paddle's handler calls a signal in its FatalError line.
SIGNAL_OF_WORDS = {
    "Segmentation fault": "SIGSEGV",
    "Floating-point exception": "SIGFPE",
    "Erroneous arithmetic operation": "SIGFPE",
    "Process abort signal": "SIGABRT",
    "Illegal instruction": "SIGILL",
    "Access to an undefined portion of a memory object": "SIGBUS",
    "Bus error": "SIGBUS",
    "Termination signal": "SIGTERM",
}
#: Signals that some process sends; for the others "from PID" is half of the fault's address.
_SENT = frozenset({"SIGTERM", "SIGINT", "SIGHUP", "SIGABRT", "SIGKILL", "SIGUSR1", "SIGUSR2"})


class BlockReader:
    """Fed line by line; collects signal blocks and error summaries."""

    def __init__(self) -> None:
        self.signals: list[SignalBlock] = []
        self.summaries: list[ErrorSummary] = []
        self._time: float | None = None
        self._announced: SignalBlock | None = None
        self._summary_due = 0

    def feed(self, number: int, text: str, rank: int | None) -> None:
        """Take one line in."""
        if "SIG" in text and (found := _SIGNAL.search(text)):
            self._take_signal(number, text, found, rank)
        elif "Aborted at" in text and (stamp := _TIME.search(text)):
            self._time = float(stamp[1])
        elif _SUMMARY_HEADER in text:
            self._summary_due = 6
        elif "FatalError" in text and (fatal := _FATAL.match(text)):
            signal = SIGNAL_OF_WORDS.get(fatal["what"] or "", "SIGSEGV" if fatal["old"] else "")
            if signal:
                self._announced = SignalBlock(line=number, text=text.strip(), signal=signal, rank=rank)
                self.signals.append(self._announced)
            self._summary_due = 0
        elif self._summary_due:
            self._take_summary(number, text, rank)
        elif "[Hint:" in text and self.summaries and (hint := _HINT.match(text)):
            last = self.summaries[-1]
            if last.hint is None and number - last.line < 12:
                self.summaries[-1] = ErrorSummary(
                    line=last.line,
                    type=last.type,
                    message=last.message,
                    hint=hint["hint"],
                    place=last.place or hint["place"],
                    rank=last.rank,
                )

    def _take_signal(self, number: int, text: str, found: re.Match[str], rank: int | None) -> None:
        signal = found["signal"]
        sender = int(found["sender"]) if found["sender"] and signal in _SENT else None
        if sender is None and signal in _SENT:
            sender = int(found["address"], 16) & 0xFFFFFFFF
        block = SignalBlock(
            line=number,
            text=text.strip(),
            signal=signal,
            pid=int(found["pid"]),
            sender=sender,
            time=self._time,
            rank=rank,
        )
        announced = self._announced
        if announced is not None and self.signals and self.signals[-1] is announced and announced.signal == signal:
            self.signals.pop()
        self.signals.append(block)
        self._announced, self._time = None, None

    def _take_summary(self, number: int, text: str, rank: int | None) -> None:
        self._summary_due -= 1
        if found := _SUMMARY.match(text):
            place = _PLACE.search(text)
            self.summaries.append(
                ErrorSummary(
                    line=number,
                    type=found["type"].removesuffix(" :"),
                    message=found["message"].strip(),
                    place=(place["place"] or place["old"]) if place else None,
                    rank=rank,
                )
            )
            self._summary_due = 0
