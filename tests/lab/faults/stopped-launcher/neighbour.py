"""A launcher stopped by Ctrl-Z while one of its ranks ends: nobody takes note of the rank, a zombie remains."""

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
pathlib.Path("rank" + os.environ["PADDLE_TRAINER_ID"]).write_text(str(os.getpid()))
time.sleep(600)
"""
)
line = [sys.executable, "-m", "paddle.distributed.launch", "--nproc_per_node", "2", "--log_dir", "log", script.name]
launcher = subprocess.Popen(line, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
while len([path for path in folder.glob("rank?") if path.read_text()]) < 2:
    time.sleep(0.2)
os.kill(launcher.pid, signal.SIGSTOP)
rank = int((folder / "rank1").read_text())
os.kill(rank, signal.SIGKILL)
print(rank, flush=True)
signal.pause()
