"""A launcher that is killed by SIGKILL, as by a scheduler or an impatient person: its two ranks live on."""

import os
import pathlib
import signal
import subprocess
import sys
import time

folder = pathlib.Path.cwd() / "job"
folder.mkdir()
script = folder / "train.py"
script.write_text(
    """import os, pathlib, time
import paddle
pathlib.Path("rank" + os.environ["PADDLE_TRAINER_ID"]).touch()
time.sleep(600)
"""
)
line = [sys.executable, "-m", "paddle.distributed.launch", "--nproc_per_node", "2", "--log_dir", "log", script.name]
launcher = subprocess.Popen(line, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
while len(list(folder.glob("rank?"))) < 2:
    time.sleep(0.2)
os.kill(launcher.pid, signal.SIGKILL)
launcher.wait()
print(launcher.pid, flush=True)
signal.pause()
