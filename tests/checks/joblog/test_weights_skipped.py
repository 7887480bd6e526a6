"""Weights that kept their random values."""

from paddle_doctor.core.finding import Finding
from paddle_doctor.core.registry import load_checks, load_signatures
from paddle_doctor.subjects.joblog import joblog_of

CHECK = load_checks(["joblog"], plugins=False).checks["PD503"]
MISSING = "UserWarning: Skip loading for b{0}.weight. b{0}.weight is not found in the provided dict.\n"
SHAPE = "UserWarning: Skip loading for fc.w. fc.w receives a shape [9, 5], but the expected shape is [9, 2].\n"


def test_skipped_tensors_are_counted_once_for_each_log():
    text = "".join(MISSING.format(number) for number in range(100)) + SHAPE
    findings = CHECK.opinions({"joblog": joblog_of({"workerlog.0": text, "workerlog.1": text}, load_signatures())})
    assert [each.location.rank for each in findings if isinstance(each, Finding) and each.location] == [0, 1]
    for finding in findings:
        assert isinstance(finding, Finding)
        assert "101 tensors" in finding.message.en
        assert len(finding.evidence) == 3
