"""`explain` and `checks`: the pages, and what a pasted message means."""

import pytest


def test_a_page_is_found_by_code_in_any_case_and_by_name(doctor):
    by_code = doctor("explain", "pd201")
    assert by_code.returncode == 0
    assert by_code.stdout.startswith("PD201 wrapper-prefix")
    assert doctor("explain", "wrapper-prefix").stdout == by_code.stdout


def test_a_page_speaks_chinese(doctor):
    assert "怎么办" in doctor("explain", "PD201", "--lang", "zh").stdout


@pytest.mark.parametrize(
    ("message", "role"),
    [
        ("INFO 2022-02-24 12:04:29,407 launch_utils.py:341] terminate all the procs", "launcher"),
        ("terminate all the procs", "launcher"),
        ("SystemError: (Fatal) Blocking queue is killed because the data reader raises an exception.", "consequence"),
    ],
)
def test_a_message_is_looked_up_among_the_signatures(report, message, role):
    found = report("explain", message)["subject"]["signatures"]
    assert role in {each["role"] for each in found}


@pytest.mark.parametrize("message", ["password=hunter2", "OSError: [Errno 98] Address already in use password=hunter2"])
def test_a_secret_in_a_message_is_not_repeated(doctor, message):
    ran = doctor("explain", message, "--format", "json")
    assert "hunter2" not in ran.stdout + ran.stderr
    assert "<hidden>" in ran.stdout + ran.stderr


def test_what_is_neither_is_an_error_with_a_hint(doctor):
    ran = doctor("explain", "wraper-prefix")
    assert ran.returncode == 2
    assert "Did you mean 'wrapper-prefix'?" in ran.stderr
    assert doctor("explain", "xyzzy plugh").returncode == 2


def test_the_list_names_every_check(report, doctor):
    listed = report("checks")["subject"]["checks"]
    assert {"PD101", "PD201", "PD301", "PD302", "PD303", "PD304", "PD501", "PD601"} <= {each["code"] for each in listed}
    text = doctor("checks").stdout
    assert all(each["code"] in text for each in listed)
