"""Log folders that hold the environment."""

from paddle_doctor.core.finding import Finding
from paddle_doctor.core.registry import load_checks
from paddle_doctor.subjects.joblog import joblog_of

CHECK = load_checks(["joblog"], plugins=False).checks["PD502"]


def test_names_are_counted_and_values_never_shown():
    secret = "abcdefgh12345678"
    texts = {f"log/envlog.{rank}": f"MY_TOKEN={secret}\nDB_PASSWORD={secret}\nLANG=C\n" for rank in range(5)}
    (finding,) = CHECK.opinions({"joblog": joblog_of(texts, ())})
    assert isinstance(finding, Finding)
    assert secret not in repr(finding)
    assert "5 files" in finding.message.en
    assert "2 variables" in finding.message.en
    assert len(finding.evidence) == 3


def test_an_ordinary_folder_is_passed_over():
    texts = {"log/workerlog.0": "step 1\n", "log/envlog.0": "PADDLE_TRAINER_ID=0\nPWD=/x\n"}
    assert CHECK.opinions({"joblog": joblog_of(texts, ())}) == []
