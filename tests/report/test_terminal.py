"""What a person sees, in both languages; the pictures are kept as snapshots."""

import io

import pytest
from rich.cells import cell_len
from rich.console import Console

from paddle_doctor.core.finding import Certainty, Report, Table, Verdict
from paddle_doctor.core.language import same
from paddle_doctor.report import terminal
from paddle_doctor.report.inert import HARMFUL
from paddle_doctor.report.terminal import render_plain


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_whole_page(full_report, language, snapshot):
    assert render_plain(full_report, language, timings=True) == snapshot


@pytest.mark.parametrize("language", ["en", "zh"])
def test_nothing_found_is_one_calm_line(language, snapshot):
    assert render_plain(Report(command="env", ran=("PD301", "PD302")), language) == snapshot


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("width", [40, 80, 200])
def test_no_line_is_wider_than_the_terminal_but_those_to_copy(full_report, language, width):
    for line in render_plain(full_report, language, width=width).splitlines():
        assert cell_len(line) <= width or line.lstrip().startswith("$ "), line


@pytest.mark.parametrize(
    ("certainty", "failed", "label"),
    [
        (Certainty.CERTAIN, True, "cause · certain"),
        (Certainty.LIKELY, False, "cause · likely"),
        (Certainty.CERTAIN, False, "cause"),
    ],
)
def test_how_sure_a_verdict_is_goes_without_saying_where_all_is_well(certainty, failed, label):
    verdict = Verdict(cause="cause", certainty=certainty, summary=same("x"), failed=failed)
    assert render_plain(Report(command="log", verdict=verdict), "en").splitlines()[1].strip() == label


def test_what_the_patient_wrote_is_inert(full_report):
    page = render_plain(full_report, "en")
    assert not HARMFUL.search(page)
    assert "[bold]boo[/bold]" in page


def test_a_name_writes_no_line_of_its_own():
    table = Table(title=same("a\n\nAll is well.pdparams"), rows=((same("Size"), "1"),))
    assert render_plain(Report(command="ckpt", tables=(table,)), "en").splitlines()[0] == "a\\n\\nAll is well.pdparams"


def test_colour_only_where_it_is_wanted(full_report, capsys):
    terminal.print_report(full_report, "en", terminal.console_for("never"))
    assert "\x1b" not in capsys.readouterr().out
    terminal.print_report(full_report, "en", terminal.console_for("always"))
    assert "\x1b[1;31m" in capsys.readouterr().out


def test_a_terminal_that_knows_no_unicode_gets_letters(full_report):
    file = io.TextIOWrapper(io.BytesIO(), encoding="ascii", errors="backslashreplace")
    console = Console(file=file, width=80, color_system=None)
    terminal.print_report(full_report, "en", console)
    file.flush()
    page = file.buffer.getvalue().decode("ascii")
    assert page.startswith("x Rank 1 died first")
    assert "| ValueError: bad label" in page


def test_a_command_to_copy_is_never_broken(full_report):
    page = render_plain(full_report, "en", width=60)
    assert "$ python -c 'import data; print(data.labels[5])' # a command that is far too long for one line\n" in page
