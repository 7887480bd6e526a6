"""`make demo`: the main job on real input, in your shell's language (or ``PADDLE_DOCTOR_LANG=zh make demo``)."""

import subprocess
import sys
from pathlib import Path

from paddle_doctor.core.language import Text, spoken_here

DEMO = Path(__file__).parent

STEPS = (
    (
        Text(
            "A job of two ranks died. The console showed only rank 0, and blamed it. What do the logs say?",
            "一个双 rank 任务挂了。控制台只显示了 rank 0，还把责任算在它头上。日志里究竟写了什么？",
        ),
        ["log", "log"],
    ),
    (
        Text("What could be seen in its script before it ran?", "在运行之前，从脚本里能看出什么？"),
        ["scan", "--static", "eval.py"],
    ),
    (
        Text("And what is in the checkpoint that it evaluated?", "它评估的那个权重文件里又有什么？"),
        ["ckpt", "model.pdparams"],
    ),
)


def main() -> None:
    """Run the three commands in the demo's folder, each under the question that it answers."""
    language = spoken_here([])
    for question, command in STEPS:
        print(f"\n{'─' * 80}\n{question.say(language)}\n\n$ paddle-doctor {' '.join(command)}\n", flush=True)
        subprocess.run([sys.executable, "-m", "paddle_doctor", *command], cwd=DEMO, check=False)


if __name__ == "__main__":
    main()
