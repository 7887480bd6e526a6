"""What goes wrong on the user's side: said in one sentence, answered with exit status 2, never a traceback."""

from __future__ import annotations

from paddle_doctor.core.language import Text


class InputError(Exception):
    """An input that is not there, cannot be opened or makes no sense, or a wrong use of a command."""

    def __init__(self, text: Text) -> None:
        super().__init__(text.en)
        self.text = text
