"""What a trial puts first in PYTHONPATH, so that a job can be watched and changed from inside its own interpreter.

These files run in the job, on Python 3.7 and later, and import nothing that a file next to the user's script could
shadow (no json, no ast, no typing): a job that dies of its own ``queue.py`` must die of it under the shim too.
"""
