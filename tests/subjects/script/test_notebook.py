"""A notebook's code cells are one script; every place is the true one in the .ipynb file."""

import json

import pytest

from paddle_doctor.subjects.script import FaultKind, Kind, Runs, Script, read_script


def notebook(*cells: object, indent: int | None = 1) -> str:
    """The text of a notebook with code cells; a cell given as a list is written line by line."""
    return json.dumps(
        {
            "cells": [
                {"cell_type": "markdown", "source": ["# Title `import nothing`"]},
                *({"cell_type": "code", "outputs": [], "source": cell} for cell in cells),
            ],
            "nbformat": 4,
        },
        indent=indent,
    )


def read(text: str) -> Script:
    script = read_script(text, "eval.ipynb")
    assert script.kind is Kind.NOTEBOOK
    assert script.fault is None, script.fault
    return script


def test_cells_are_read_in_order_and_names_live_on():
    script = read(notebook(["import paddle as pd\n"], ["x = 1\n", "pd.load('a.pdparams')"]))
    assert [call.name for call in script.calls] == ["paddle.load"]
    assert script.calls[0].runs is Runs.IMPORT


@pytest.mark.parametrize("indent", [1, None], ids=["pretty", "one line"])
def test_the_place_is_the_one_in_the_file(indent: int | None):
    text = notebook(["import paddle\n", 'print("精度"); paddle.load("a")\n'], indent=indent)
    place = read(text).calls[-1].place
    line = text.split("\n")[place.line - 1]
    assert line[place.column - 1 :].startswith("paddle.load")
    assert place.cell == 2
    assert place.text == 'print("精度"); paddle.load("a")'


def test_a_cell_may_be_one_string():
    text = notebook("import paddle\npaddle.load('a')\n")
    place = read(text).calls[0].place
    assert text.split("\n")[place.line - 1][place.column - 1 :].startswith("paddle.load")


def test_magics_and_shell_lines_are_passed_over():
    script = read(
        notebook(
            [
                "%matplotlib inline\n",
                "!pip install paddlepaddle\n",
                "files = !ls\n",
                "import paddle\n",
                "paddle.load?\n",
            ],
            ["if x:\n", "    !ls\n", "    %time f()\n", "g()\n"],
            ["%%bash\n", "for f in *; do echo $f; done\n"],
            ["%%time\n", "paddle.load('a')\n"],
        )
    )
    assert [call.name for call in script.calls] == ["g", "paddle.load"]


def test_a_percent_sign_inside_of_an_expression_is_no_magic():
    script = read(notebook(["print('%d'\n", "      % work(1))\n"]))
    assert [call.name for call in script.calls] == ["print", "work"]


def test_old_notebooks_keep_their_cells_in_worksheets():
    text = json.dumps({"worksheets": [{"cells": [{"cell_type": "code", "input": ["work()\n"]}]}], "nbformat": 3})
    assert [call.name for call in read(text).calls] == ["work"]


def test_what_looks_like_a_cell_in_an_output_is_none():
    output = {"data": {"application/json": {"cells": [{"cell_type": "code", "source": ["bad("]}]}}}
    text = json.dumps({"cells": [{"cell_type": "code", "outputs": [output], "source": ["work()"]}]})
    assert [call.name for call in read(text).calls] == ["work"]


@pytest.mark.parametrize("text", ["", "{", "[1, 2]", '{"cells": 3}', '"cells"', "[" * 100_000, "import paddle\n"])
def test_what_is_no_notebook_is_a_fault(text: str):
    fault = read_script(text, "broken.ipynb").fault
    assert fault is not None
    assert fault.kind is FaultKind.NOTEBOOK


def test_a_syntax_error_in_a_cell_has_its_line_and_cell():
    text = notebook(["x = 1\n"], ["y = (\n"])
    fault = read_script(text, "eval.ipynb").fault
    assert fault is not None
    assert fault.place.cell == 3
    assert "y = (" in text.split("\n")[fault.place.line - 1]


def test_lone_surrogates_do_no_harm():
    script = read_script(
        '{"cells": [{"cell_type": "code", "source": ["x = \'\\ud83d\'\\n", "f(\'\\ude00\')"]}]}', "a.ipynb"
    )
    json.dumps(repr(script)).encode("utf-8")
