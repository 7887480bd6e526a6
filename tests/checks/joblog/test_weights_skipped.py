"""Weights that kept their random values."""

from paddle_doctor.core.finding import Finding
from paddle_doctor.core.registry import load_checks, load_signatures
from paddle_doctor.subjects.joblog import joblog_of

CHECK = load_checks(["joblog"], plugins=False).checks["PD503"]
MISSING = "UserWarning: Skip loading for b{0}.weight. b{0}.weight is not found in the provided dict.\n"
SHAPE = "UserWarning: Skip loading for fc.w. fc.w receives a shape [9, 5], but the expected shape is [9, 2].\n"


def test_skipped_tensors_are_told_once_with_the_ranks_that_skipped_them():
    text = "".join(MISSING.format(number) for number in range(100)) + SHAPE
    findings = CHECK.opinions({"joblog": joblog_of({"workerlog.0": text, "workerlog.1": text}, load_signatures())})
    assert len(findings) == 1
    assert isinstance(findings[0], Finding)
    assert "101 tensors of the model kept random values on ranks 0 and 1" in findings[0].message.en
    assert len(findings[0].evidence) == 3
