"""The logs of a job as facts: what each rank printed, what the launcher said, and where each file is."""

from paddle_doctor.subjects.joblog.gather import gather_joblog, joblog_of
from paddle_doctor.subjects.joblog.model import (
    ErrorSummary,
    Event,
    FailedContainer,
    Frame,
    JobLog,
    Kind,
    Launcher,
    Line,
    Link,
    LogFile,
    PythonError,
    SignalBlock,
)

__all__ = [
    "ErrorSummary",
    "Event",
    "FailedContainer",
    "Frame",
    "JobLog",
    "Kind",
    "Launcher",
    "Line",
    "Link",
    "LogFile",
    "PythonError",
    "SignalBlock",
    "gather_joblog",
    "joblog_of",
]
