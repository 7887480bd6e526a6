"""What goes wrong on the user's side: said in one sentence, answered with exit status 2, never a traceback."""

from __future__ import annotations

from collections.abc import Iterable

from paddle_doctor.core.language import Text

UNREADABLE = Text("Cannot read {path}: {why}.", "无法读取 {path}：{why}。")
DID_YOU_MEAN = Text(" Did you mean '{near}'?", "您是不是想写“{near}”？")
NOTHING = Text("", "")


class InputError(Exception):
    """An input that is not there, cannot be opened or makes no sense, or a wrong use of a command."""

    def __init__(self, text: Text) -> None:
        super().__init__(text.en)
        self.text = text


def unreadable(path: object, error: OSError) -> InputError:
    """What to raise for a file that the system does not let us read."""
    return InputError(UNREADABLE.fill(path=path, why=error.strerror or error))


def near_miss(word: str, known: Iterable[str]) -> Text:
    """A hint at the known word that is closest, or nothing; it follows a sentence."""
    import difflib

    near = difflib.get_close_matches(word, list(known), n=1)
    return DID_YOU_MEAN.fill(near=near[0]) if near else NOTHING
