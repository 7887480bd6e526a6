"""When a piece of a script runs, and what is iterated over by then."""

import pytest

from paddle_doctor.subjects.script import Runs, Script, read_script


def read(source: str) -> Script:
    script = read_script(source, "train.py")
    assert script.fault is None, script.fault
    return script


def work_runs(source: str) -> Runs:
    """When the only call of ``work`` runs."""
    return next(call.runs for call in read(source).calls if call.name == "work")


@pytest.mark.parametrize(
    ("source", "runs"),
    [
        ("work()", Runs.IMPORT),
        ("class A:\n    x = work()", Runs.IMPORT),
        ("def f(x=work()): ...", Runs.IMPORT),
        ("@work()\ndef f(): ...", Runs.IMPORT),
        ("def f():\n    work()", Runs.CALLED),
        ("def f():\n    work()\nf()", Runs.IMPORT),
        ("def g():\n    work()\ndef f():\n    g()\nf()", Runs.IMPORT),
        ("class A:\n    def __init__(self):\n        work()\nA()", Runs.IMPORT),
        ("class A:\n    def run(self):\n        work()\na = A()\na.run()", Runs.IMPORT),
        ("class B:\n    def run(self):\n        work()\nclass A(B): ...\nA().run()", Runs.IMPORT),
        ("class A:\n    def a(self):\n        self.b()\n    def b(self):\n        work()\nA().a()", Runs.IMPORT),
        ("def deco(f):\n    work()\n    return f\n@deco\ndef g(): ...", Runs.IMPORT),
        ("import fire\ndef f():\n    work()\nfire.Fire(f)", Runs.IMPORT),
        ("if __name__ == '__main__':\n    work()", Runs.MAIN),
        ("if '__main__' == __name__:\n    work()", Runs.MAIN),
        ("if __name__ == '__main__' and ready:\n    work()", Runs.MAIN),
        ("if ready and __name__ == '__main__':\n    work()", Runs.MAIN),
        ("if __name__ == '__main__' or ready:\n    work()", Runs.IMPORT),
        ("if __name__ == '__main__' or __name__ == '__console__':\n    work()", Runs.MAIN),
        ("if __name__ in ('__main__', '__mp_main__'):\n    work()", Runs.IMPORT),
        ("if __name__ != '__main__':\n    pass\nelse:\n    work()", Runs.MAIN),
        ("if not __name__ == '__main__':\n    raise SystemExit\nwork()", Runs.MAIN),
        ("import sys\nif __name__ != '__main__':\n    sys.exit()\nwork()", Runs.MAIN),
        ("def f():\n    if __name__ != '__main__':\n        return\n    work()\nf()", Runs.MAIN),
        ("import multiprocessing as mp\nif mp.parent_process() is None:\n    work()", Runs.MAIN),
        ("import multiprocessing\nif multiprocessing.current_process().name == 'MainProcess':\n    work()", Runs.MAIN),
        ("def main():\n    work()\nif __name__ == '__main__':\n    main()", Runs.MAIN),
        ("def main():\n    work()\nmain()\nif __name__ == '__main__':\n    main()", Runs.IMPORT),
        ("def main():\n    if __name__ == '__main__':\n        work()", Runs.CALLED),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    work()", Runs.NEVER),
        ("if False:\n    work()", Runs.NEVER),
        ("if 0:\n    x\nelif __name__ == '__main__':\n    work()", Runs.MAIN),
        ("f = lambda: work()", Runs.CALLED),
        ("f = lambda: work()\nf()", Runs.IMPORT),
        ("x = [work() for _ in range(3)]", Runs.IMPORT),
        ("def f():\n    f()\n    work()\nf()", Runs.IMPORT),
        ("__name__ == '__main__' and work()", Runs.IMPORT),
    ],
)
def test_when_a_piece_runs(source: str, runs: Runs):
    assert work_runs(source) is runs


LOADER = "from paddle.io import DataLoader\nloader = DataLoader(d, num_workers=2)\n"


def used(source: str) -> list[tuple[int, Runs]]:
    """The line and moment of each iteration over the DataLoader."""
    script = read(LOADER + source)
    return [
        (use.place.line, use.runs)
        for use in script.iterations
        if script.calls[use.made_by].name == "paddle.io.DataLoader"
    ]


@pytest.mark.parametrize(
    "source",
    [
        "for batch in loader: ...",
        "for i, batch in enumerate(loader): ...",
        "for batch in loader(): ...",
        "first = next(iter(loader))",
        "batches = [b for b in loader]",
        "n = len(list(loader))",
        "from tqdm import tqdm\nfor b in tqdm(loader, total=3): ...",
    ],
)
def test_every_way_to_iterate_is_seen(source: str):
    assert {runs for _, runs in used(source)} == {Runs.IMPORT}


def test_a_loader_that_is_made_and_not_used_is_not_iterated_over():
    assert used("n = len(loader)\nmodel.fit(loader)") == []


def test_a_loader_is_followed_into_the_function_that_it_is_handed_to():
    source = "def evaluate(model, data):\n    for b in data: ...\nevaluate(net, loader)\n"
    assert used(source) == [(4, Runs.IMPORT)]


def test_only_the_call_that_hands_the_loader_over_counts():
    source = (
        "def evaluate(data):\n    for b in data: ...\nevaluate([1, 2])\n"
        "if __name__ == '__main__':\n    evaluate(loader)\n"
    )
    assert used(source) == [(4, Runs.MAIN)]


def test_a_loader_is_followed_out_of_the_function_that_makes_it():
    script = read(
        "from paddle.io import DataLoader\ndef build():\n    return DataLoader(a), DataLoader(b, num_workers=2)\n"
        "train, val = build()\nfor b in val: ...\n"
    )
    (use,) = script.iterations
    maker = script.calls[use.made_by].argument("num_workers")
    assert maker is not None
    assert maker.value == 2


def test_conditions_are_the_tests_around_and_a_guard_is_none():
    script = read("if __name__ == '__main__':\n    if args.eval:\n        work()\n")
    assert script.calls[-1].conditions == ("args.eval",)
