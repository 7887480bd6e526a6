"""Places as a person would point at them, and the closing sentence."""

import pytest

from paddle_doctor.core.finding import Certainty, Finding, Location, Report, Severity
from paddle_doctor.core.language import same
from paddle_doctor.report.words import place, tally


@pytest.mark.parametrize(
    ("location", "english", "chinese"),
    [
        (Location(path="eval.py", line=12, column=5), "eval.py:12:5", "eval.py:12:5"),
        (Location(path="log/workerlog.1", line=3, rank=1), "rank 1  log/workerlog.1:3", "rank 1  log/workerlog.1:3"),
        (Location(rank=0), "rank 0", "rank 0"),
        (Location(path="a.ipynb", line=9, cell=2), "a.ipynb:9  cell 2", "a.ipynb:9  第 2 个单元格"),
        (Location(path="w.pdparams", tensor="fc.weight"), "w.pdparams  fc.weight", "w.pdparams  fc.weight"),
        (Location(variable="PADDLE_TRAINER_ID"), "PADDLE_TRAINER_ID", "PADDLE_TRAINER_ID"),
        (Location(port=6170, pid=41), "port 6170  process 41", "端口 6170  进程 41"),
        (Location(gpu=0), "GPU 0", "GPU 0"),
    ],
)
def test_a_place_is_pointed_at(location: Location, english: str, chinese: str):
    told = place(location)
    assert (told.en, told.zh) == (english, chinese)


def test_the_closing_sentence_counts_by_severity():
    def finding(severity: Severity) -> Finding:
        return Finding(
            code="PD101", name="x", subject="script", severity=severity, certainty=Certainty.CERTAIN, message=same("x")
        )

    found = tuple(finding(each) for each in (Severity.ERROR, Severity.ERROR, Severity.INFO))
    assert tally(Report(command="scan", findings=found, ran=("PD101",))).en == "2 errors and 1 note from 1 check."
    assert tally(Report(command="scan", ran=("PD101", "PD102"))).en == "Nothing found by 2 checks."
