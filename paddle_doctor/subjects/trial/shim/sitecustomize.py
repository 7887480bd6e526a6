"""Python runs this file at start-up: it sets the watch up, then hands over to the sitecustomize that it stands before.

It must load on any Python, since every interpreter that the job starts inherits PYTHONPATH.
"""

import sys

if sys.version_info >= (3, 7):  # noqa: UP036  the job's Python, not ours
    import paddle_doctor_hooks  # type: ignore[import-not-found]

    paddle_doctor_hooks.set_up()
    paddle_doctor_hooks.run_the_hidden_sitecustomize()
