"""What a test says about where its branches can run."""

import ast

import pytest

from paddle_doctor.subjects.script.guard import Restriction, branches

OPEN, MAIN, NEVER = Restriction.OPEN, Restriction.MAIN, Restriction.NEVER


@pytest.mark.parametrize(
    ("test", "body", "orelse"),
    [
        ("__name__ == '__main__'", MAIN, OPEN),
        ("'__main__' == __name__", MAIN, OPEN),
        ("__name__ != '__main__'", OPEN, MAIN),
        ("not __name__ == '__main__'", OPEN, MAIN),
        ("__name__ == '__main__' and x", MAIN, OPEN),
        ("__name__ == '__main__' or x", OPEN, OPEN),
        ("__name__ != '__main__' or x", OPEN, MAIN),
        ("__name__ in ['__main__']", MAIN, OPEN),
        ("__name__ not in ('__main__', 'x')", OPEN, MAIN),
        ("parent_process() is None", MAIN, OPEN),
        ("TYPE_CHECKING", NEVER, OPEN),
        ("True", OPEN, NEVER),
        ("x", OPEN, OPEN),
        ("__name__ == x", OPEN, OPEN),
        ("__name__ == '__main__' == x", OPEN, OPEN),
        ("__name__ in '__main__'", OPEN, OPEN),
    ],
)
def test_branches(test: str, body: Restriction, orelse: Restriction):
    expression = ast.parse(test, mode="eval").body
    assert branches(expression) == (body, orelse)
