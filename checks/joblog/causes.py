"""The causes that a verdict can name: for each slug what it means and what cures it in general, in both languages."""

from __future__ import annotations

from dataclasses import dataclass

from paddle_doctor.core.finding import Fix
from paddle_doctor.core.language import Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """`title` is a statement of what happened; `cure` says what to do where the log tells nothing more particular."""

    slug: str
    title: Text
    cure: Text
    commands: tuple[str, ...] = ()
    failed: bool = True

    @property
    def fix(self) -> Fix:
        """The cure as a fix."""
        return Fix(summary=self.cure, commands=self.commands)


_ALL = (
    Cause(
        slug="gpu-oom",
        title=Text("GPU memory ran out.", "GPU 显存不足。"),
        cure=Text(
            "Make the batch or the input smaller, or free memory on the card: nvidia-smi shows which processes "
            "hold it. In evaluation use model.eval() and paddle.no_grad(), and keep results as NumPy arrays.",
            "减小 batch 或输入尺寸，或者腾出显存：用 nvidia-smi 查看哪些进程占用了它。评估时使用 model.eval() 和 "
            "paddle.no_grad()，并把结果转成 NumPy 数组保存。",
        ),
        commands=("nvidia-smi",),
    ),
    Cause(
        slug="host-oom-kill",
        title=Text("The host's memory ran out.", "主机内存不足。"),
        cure=Text(
            "Use fewer DataLoader workers, a smaller prefetch_factor or batch, or give the container more memory. "
            "The kernel log confirms it (dmesg -T).",
            "减少 DataLoader 的 num_workers、prefetch_factor 或 batch，或者给容器更多内存。用 dmesg -T 查看内核日志"
            "即可确认。",
        ),
        commands=("dmesg -T | grep -i -E 'out of memory|oom-kill'",),
    ),
    Cause(
        slug="shm-exhausted",
        title=Text("Shared memory (/dev/shm) ran out.", "共享内存（/dev/shm）不足。"),
        cure=Text(
            "Make /dev/shm larger (docker run --shm-size=16g), or pass use_shared_memory=False to the "
            "DataLoader, or use fewer workers.",
            "增大 /dev/shm（docker run --shm-size=16g），或给 DataLoader 传入 use_shared_memory=False，"
            "或减少 num_workers。",
        ),
        commands=("df -h /dev/shm",),
    ),
    Cause(
        slug="dataset-exception-in-worker",
        title=Text("Reading or transforming a sample raised an exception.", "读取或变换样本时抛出了异常。"),
        cure=Text(
            "Fix the dataset, transform or collate function where the traceback points. Do not set num_workers=0 "
            "to look for it: Paddle then prints the traceback and hangs. Index the dataset in a plain loop instead.",
            "按 traceback 指向的位置修复 Dataset、transform 或 collate_fn。不要用 num_workers=0 来排查：那样 "
            "Paddle 打印 traceback 后会一直卡住。请直接用普通循环逐个读取数据集。",
        ),
    ),
    Cause(
        slug="spawn-guard",
        title=Text(
            "A process was started while the main module was still being imported, or with something "
            "that cannot be pickled.",
            "主模块尚未导入完就启动了子进程，或者传给子进程的对象无法被 pickle。",
        ),
        cure=Text(
            "Put the start of the program under if __name__ == '__main__':, and give spawned processes "
            "only module-level functions and classes.",
            "把程序入口放到 if __name__ == '__main__': 之下；传给子进程的函数和类要定义在模块顶层。",
        ),
    ),
    Cause(
        slug="fork-after-cuda",
        title=Text("CUDA was used in a forked child process.", "在 fork 出来的子进程里使用了 CUDA。"),
        cure=Text(
            "Do not touch the GPU before processes are forked, or start them with spawn. Keep GPU work "
            "out of Dataset and collate functions.",
            "不要在 fork 之前使用 GPU，或改用 spawn 启动子进程。Dataset 和 collate_fn 里不要做 GPU 运算。",
        ),
    ),
    Cause(
        slug="port-in-use",
        title=Text("A port that the job needs is taken.", "任务需要的端口已被占用。"),
        cure=Text(
            "End the process that listens there (often a rank of the last run), or choose another port with "
            "--start_port or --master.",
            "结束占用端口的进程（常常是上一次运行残留的 rank），或用 --start_port、--master 换一个端口。",
        ),
        commands=("paddle-doctor env",),
    ),
    Cause(
        slug="connection-refused-or-timeout",
        title=Text("A peer or the master could not be reached.", "无法连接到其他节点或 master。"),
        cure=Text(
            "Check that every node was started, that its address is the right one (not 127.0.1.1), and that no "
            "firewall, proxy (HTTP_PROXY, ALL_PROXY) or wrong network card (NCCL_SOCKET_IFNAME, "
            "GLOO_SOCKET_IFNAME) is in the way.",
            "确认每个节点都已启动、地址正确（不是 127.0.1.1），并且没有被防火墙、代理（HTTP_PROXY、ALL_PROXY）或错"
            "误的网卡设置（NCCL_SOCKET_IFNAME、GLOO_SOCKET_IFNAME）阻断。",
        ),
        commands=("paddle-doctor env",),
    ),
    Cause(
        slug="nccl-error",
        title=Text("NCCL failed.", "NCCL 出错。"),
        cure=Text(
            "Run again with NCCL_DEBUG=INFO and read the first WARN line. A second libnccl on LD_LIBRARY_PATH, a "
            "too small /dev/shm and blocked peer-to-peer access (NCCL_P2P_DISABLE=1 to test) are common reasons.",
            "加上 NCCL_DEBUG=INFO 重新运行，看第一条 WARN。常见原因：LD_LIBRARY_PATH 上有另一份 libnccl、"
            "/dev/shm 太小、"
            "GPU 间 P2P 不通（可用 NCCL_P2P_DISABLE=1 验证）。",
        ),
        commands=("export NCCL_DEBUG=INFO",),
    ),
    Cause(
        slug="nccl-missing",
        title=Text("NCCL was not found.", "找不到 NCCL。"),
        cure=Text(
            "Install NCCL for your CUDA version and put its folder on LD_LIBRARY_PATH. There is no NCCL on "
            "Windows: use one card, or gloo.",
            "安装与 CUDA 版本匹配的 NCCL，并把它所在目录加入 LD_LIBRARY_PATH。Windows 上没有 NCCL："
            "请用单卡，或使用 gloo。",
        ),
    ),
    Cause(
        slug="cuda-driver-mismatch",
        title=Text(
            "The NVIDIA driver is missing or too old for this Paddle build.",
            "没有可用的 NVIDIA 驱动，或驱动对当前 Paddle 来说太旧。",
        ),
        cure=Text(
            "Update the driver, or install a Paddle build for an older CUDA. In a container, start it with --gpus all.",
            "升级驱动，或安装对应较低 CUDA 版本的 Paddle。在容器里请用 --gpus all 启动。",
        ),
        commands=("nvidia-smi",),
    ),
    Cause(
        slug="gpu-arch-mismatch",
        title=Text("This Paddle build has no kernels for this GPU.", "当前 Paddle 安装包不支持这块 GPU 的架构。"),
        cure=Text(
            "Install a Paddle build for a CUDA version that supports this GPU.",
            "安装支持该 GPU 架构的 CUDA 版本所对应的 Paddle。",
        ),
    ),
    Cause(
        slug="cudnn-missing-or-mismatch",
        title=Text(
            "A CUDA library (cuDNN, cuBLAS) is missing or of the wrong version.",
            "缺少 CUDA 库（cuDNN、cuBLAS），或版本不匹配。",
        ),
        cure=Text(
            "Install the cuDNN that belongs to the CUDA version of your Paddle build, and put its folder "
            "on LD_LIBRARY_PATH (PATH on Windows).",
            "安装与 Paddle 的 CUDA 版本配套的 cuDNN，并把它所在目录加入 LD_LIBRARY_PATH（Windows 为 PATH）。",
        ),
    ),
    Cause(
        slug="label-out-of-range",
        title=Text("A label or an index lies outside the allowed range.", "标签或索引超出了允许的范围。"),
        cure=Text(
            "Check the labels of the dataset against the number of classes (from 0 to N-1), and ids "
            "against the size of the embedding.",
            "核对数据集的标签与类别数（应在 0 到 N-1 之间），以及 id 与 embedding 的大小。",
        ),
    ),
    Cause(
        slug="illegal-memory-access",
        title=Text("A GPU kernel accessed GPU memory outside its bounds.", "GPU kernel 访问了非法的显存地址。"),
        cure=Text(
            "Run again with CUDA_LAUNCH_BLOCKING=1, so that the traceback shows the operator at fault. "
            "Check labels and indices first.",
            "设置 CUDA_LAUNCH_BLOCKING=1 重新运行，traceback 就会指向真正出错的算子。先检查标签和索引。",
        ),
        commands=("export CUDA_LAUNCH_BLOCKING=1",),
    ),
    Cause(
        slug="env-leftover",
        title=Text(
            "Variables of an earlier distributed job make this one believe that it is a rank of it.",
            "之前的分布式任务残留的环境变量让本任务误以为自己是其中一个 rank。",
        ),
        cure=Text("Unset the leftover variables.", "清除残留的环境变量。"),
        commands=('eval "$(paddle-doctor env --shell)"',),
    ),
    Cause(
        slug="device-index-invalid",
        title=Text("The job asked for a GPU that does not exist.", "请求了不存在的 GPU。"),
        cure=Text(
            "Check --gpus / --devices and CUDA_VISIBLE_DEVICES against nvidia-smi. Ids start at 0 and count the "
            "visible cards only.",
            "对照 nvidia-smi 检查 --gpus / --devices 和 CUDA_VISIBLE_DEVICES。编号从 0 开始，只计可见的卡。",
        ),
        commands=("nvidia-smi -L", "echo $CUDA_VISIBLE_DEVICES"),
    ),
    Cause(
        slug="cpu-only-build",
        title=Text("A CPU build of Paddle was asked to use a GPU.", "安装的是 CPU 版 Paddle，却要求使用 GPU。"),
        cure=Text(
            "Uninstall paddlepaddle and paddlepaddle-gpu both, then install paddlepaddle-gpu for your "
            "CUDA version; or run on the CPU.",
            "先把 paddlepaddle 和 paddlepaddle-gpu 都卸载，再安装与 CUDA 版本匹配的 paddlepaddle-gpu；"
            "或者改用 CPU 运行。",
        ),
        commands=("python -m pip list | grep -i paddle",),
    ),
    Cause(
        slug="checkpoint-key-mismatch",
        title=Text(
            "The checkpoint's keys are not the keys of the model or optimizer.",
            "所加载文件里的键与模型或优化器的键对不上。",
        ),
        cure=Text(
            "Compare the file with the model: a wrapper's prefix, another model, or optimizer state of "
            "another run. For fine-tuning load only the weights.",
            "对比文件与模型：可能是包装层加的前缀、换了模型，或是另一次训练的优化器状态。微调时只加载权重。",
        ),
        commands=("paddle-doctor ckpt FILE",),
    ),
    Cause(
        slug="checkpoint-shape-mismatch",
        title=Text(
            "A tensor of the checkpoint does not have the shape that the model needs.",
            "权重文件中某个张量的形状与模型不一致。",
        ),
        cure=Text(
            "Usually the number of classes or the dictionary differs. Build the model as it was trained, "
            "or leave that layer out when loading.",
            "通常是类别数或字典不同。请按训练时的配置构建模型，或加载时跳过该层。",
        ),
        commands=("paddle-doctor ckpt FILE",),
    ),
    Cause(
        slug="checkpoint-corrupt",
        title=Text(
            "The checkpoint file is damaged, or is not a Paddle checkpoint.",
            "权重文件已损坏，或根本不是 Paddle 的权重文件。",
        ),
        cure=Text(
            "Look at what the file holds, then download or save it again.", "先查看文件内容，再重新下载或重新保存。"
        ),
        commands=("paddle-doctor ckpt FILE",),
    ),
    Cause(
        slug="file-not-found",
        title=Text(
            "A file or folder that the job needs does not exist or cannot be read.",
            "任务需要的文件或目录不存在，或无法读取。",
        ),
        cure=Text(
            "Check the path. Relative paths start from the folder in which the launcher was started.",
            "检查路径。相对路径以运行启动器时所在的目录为准。",
        ),
    ),
    Cause(
        slug="missing-dependency",
        title=Text("A Python module that the job needs is not installed.", "缺少任务需要的 Python 模块。"),
        cure=Text("Install it into the interpreter that runs the job.", "把它安装到运行任务的 Python 解释器中。"),
    ),
    Cause(
        slug="abi-mismatch",
        title=Text("The versions of installed packages do not match.", "已安装的软件包版本互不兼容。"),
        cure=Text(
            "Install matching versions, best in a fresh environment.",
            "安装相互匹配的版本，最好使用全新的环境。",
        ),
        commands=("python -m pip check",),
    ),
    Cause(
        slug="paddle-api-version",
        title=Text("The code was written for another version of Paddle.", "代码是为另一个版本的 Paddle 编写的。"),
        cure=Text(
            "Install the Paddle version that this code names, or take the release of the toolkit that "
            "fits the installed Paddle.",
            "安装代码要求的 Paddle 版本，或换用与已安装 Paddle 匹配的套件版本。",
        ),
        commands=('python -c "import paddle; print(paddle.__version__)"',),
    ),
    Cause(
        slug="user-code-exception",
        title=Text("The program raised an exception.", "程序抛出了异常。"),
        cure=Text("Read the traceback's last frame in your own code.", "查看 traceback 中位于您自己代码里的最后一处。"),
    ),
    Cause(
        slug="config-error",
        title=Text("The job's arguments or configuration are wrong.", "任务的参数或配置有误。"),
        cure=Text(
            "Correct the argument or the configuration file that the line names.", "改正该行所指的参数或配置文件。"
        ),
    ),
    Cause(
        slug="unused-parameters",
        title=Text("DataParallel found parameters without a gradient.", "DataParallel 遇到了没有梯度的参数。"),
        cure=Text(
            "Pass find_unused_parameters=True to paddle.DataParallel, or make every parameter take part in the loss.",
            "给 paddle.DataParallel 传入 find_unused_parameters=True，或让每个参数都参与 loss 计算。",
        ),
    ),
    Cause(
        slug="rank-desync-hang",
        title=Text(
            "Ranks waited for each other: one of them never came to a collective call.",
            "各 rank 相互等待：有 rank 没有到达集合通信。",
        ),
        cure=Text(
            "Look for a collective call that only some ranks reach, a different number of batches per rank, an "
            "early return, or long work on one rank only.",
            "检查以下情况：只在部分 rank 上执行的集合通信、各 rank 的 batch 数不同、提前返回，或只在某个 rank 上的"
            "长时间操作。",
        ),
    ),
    Cause(
        slug="nan-inf",
        title=Text("NaN or Inf stopped the job.", "出现了 NaN 或 Inf。"),
        cure=Text(
            "Lower the learning rate, clip gradients, check the data for empty or broken samples, and "
            "turn mixed precision off to compare.",
            "降低学习率、做梯度裁剪，检查数据中是否有空样本或坏样本，并关闭混合精度做对比。",
        ),
    ),
    Cause(
        slug="segfault-unknown",
        title=Text(
            "A process crashed (segmentation fault or abort), and the log does not say why.",
            "进程崩溃（段错误或 abort），日志没有说明原因。",
        ),
        cure=Text(
            "Run again with python -X faulthandler, so that the Python line is shown. Paddle tensors returned from "
            "DataLoader workers, a full GPU and packages of mixed versions are common reasons.",
            "用 python -X faulthandler 重新运行，以显示出错的 Python 行。常见原因：DataLoader worker 返回了 Paddle "
            "Tensor、显存已满、软件包版本混杂。",
        ),
        commands=("export PYTHONFAULTHANDLER=1",),
    ),
    Cause(
        slug="illegal-instruction",
        title=Text("The CPU does not support an instruction that the program uses.", "CPU 不支持程序使用的指令。"),
        cure=Text(
            "The CPU lacks AVX or similar, or the build needs more than the CPU has. Install a build for this CPU, "
            "or another Paddle version.",
            "CPU 不支持 AVX 等指令集，或安装包要求更高。请安装适合该 CPU 的版本，或换一个 Paddle 版本。",
        ),
        commands=("grep -o -m1 -w -E 'avx|avx2|avx512f' /proc/cpuinfo | sort -u",),
    ),
    Cause(
        slug="disk-full",
        title=Text("No space is left on a disk.", "磁盘空间不足。"),
        cure=Text(
            "Free space. The same message comes from /dev/shm, ~/.cache and /tmp: look at all of them.",
            "清理空间。/dev/shm、~/.cache、/tmp 满了也是同样的报错，都看一下。",
        ),
        commands=("df -h . /tmp ~/.cache /dev/shm",),
    ),
    Cause(
        slug="fd-exhausted",
        title=Text("Too many files are open.", "打开的文件过多。"),
        cure=Text(
            "Raise the limit, or use fewer DataLoader workers.",
            "提高打开文件数上限，或减少 DataLoader 的 num_workers。",
        ),
        commands=("ulimit -n 65535",),
    ),
    Cause(
        slug="killed-from-outside",
        title=Text("The job was ended from outside.", "任务被外部终止。"),
        cure=Text(
            "Ask who sent the signal: a person (Ctrl-C, kill), a scheduler, a time limit, or the end of "
            "the terminal session.",
            "查明是谁发送了信号：人为操作（Ctrl-C、kill）、调度系统、时间限制，还是终端会话结束。",
        ),
    ),
    Cause(
        slug="launcher-only",
        title=Text(
            "These are only the launcher's lines; the cause is in the ranks' own logs.",
            "这里只有启动器的输出，真正的原因在各 rank 自己的日志里。",
        ),
        cure=Text("Give paddle-doctor the log folder.", "请把日志目录交给 paddle-doctor。"),
        commands=("paddle-doctor log log/",),
    ),
    Cause(
        slug="unknown",
        title=Text("The log does not tell the cause.", "日志没有说明原因。"),
        cure=Text(
            "Let paddle-doctor run the script again under changed conditions.",
            "让 paddle-doctor 在不同条件下重新运行脚本。",
        ),
        commands=("paddle-doctor repro SCRIPT",),
    ),
    Cause(
        slug="no-failure",
        title=Text("The log shows no failure.", "日志中没有发现失败。"),
        cure=Text("Nothing to do.", "无需处理。"),
        failed=False,
    ),
)

CAUSES = {cause.slug: cause for cause in _ALL}
