"""What the DataLoader and its workers print: shared memory, a dataset's exceptions, and the echoes that follow."""

from __future__ import annotations

from paddle_doctor.core.finding import Certainty
from paddle_doctor.core.language import Text
from paddle_doctor.core.signature import Role, Signature

_SHM = Text(
    "A DataLoader worker found no room in shared memory (/dev/shm).", "DataLoader worker 的共享内存（/dev/shm）不足。"
)
_SAMPLE = Text("Reading or transforming a sample failed.", "读取或变换样本失败。")
_ECHO = Text(
    "The DataLoader ends because one of its workers failed; the cause is elsewhere.",
    "DataLoader 因某个 worker 出错而结束；真正原因在别处。",
)

SIGNATURES = (
    Signature(
        id="worker-bus-error",
        pattern=r"Unexpected BUS error encountered in DataLoader worker"
        r"|DataLoader process \(pid\s{1,3}\d{1,10}\) exited is killed by signal: Bus error",
        role=Role.ROOT,
        cause="shm-exhausted",
        certainty=Certainty.LIKELY,
        says=_SHM,
        matches=(
            (
                "ERROR: Unexpected BUS error encountered in DataLoader worker. This might be caused by "
                "insufficient shared memory (shm)"
            ),
            "SystemError: (Fatal) DataLoader process (pid   33) exited is killed by signal: Bus error.",
        ),
        misses=("ERROR: Unexpected segmentation fault encountered in DataLoader workers.",),
    ),
    Signature(
        id="shm-map-failed",
        pattern=r"Memory map failed when (?:create|rebuild) shared memory"
        r"|File descriptor \S{0,80}paddle_\S{0,60} open failed"
        r"|'SharedMemoryMgr' object has no attribute"
        r"|unable to (?:mmap|write to file|open shared memory)",
        role=Role.ROOT,
        cause="shm-exhausted",
        says=_SHM,
        matches=(
            "RuntimeError: (Unavailable) Memory map failed when create shared memory.",
            "RuntimeError: (Unavailable) File descriptor /paddle_1234_56_78 open failed, unable in read-write mode",
        ),
    ),
    Signature(
        id="bus-error",
        pattern=r"\bBus error\b|Access to an undefined portion of a memory object|总线错误|\*\*\* SIGBUS",
        role=Role.ROOT,
        cause="shm-exhausted",
        certainty=Certainty.LIKELY,
        says=Text(
            "A process died of a bus error; a common reason is that /dev/shm is too small.",
            "进程因总线错误（SIGBUS）退出，常见原因是 /dev/shm 太小。",
        ),
        matches=(
            "Bus error (core dumped)",
            "FatalError: `Access to an undefined portion of a memory object` is detected by the operating system.",
        ),
    ),
    Signature(
        id="worker-segfault",
        pattern=r"Unexpected segmentation fault encountered in DataLoader workers?"
        r"|DataLoader process \(pid\s{1,3}\d{1,10}\) exited is killed by signal: Segmentation "
        r"fault",
        role=Role.ROOT,
        cause="segfault-unknown",
        certainty=Certainty.LIKELY,
        says=Text(
            "A DataLoader worker crashed. A Dataset or collate function that returns Paddle tensors can do this.",
            "DataLoader worker 崩溃。Dataset 或 collate_fn 返回 Paddle Tensor 可能导致这种情况。",
        ),
        fix=Text(
            "Return NumPy arrays from Dataset and collate_fn, not Paddle tensors; or pass use_shared_memory=False.",
            "让 Dataset 和 collate_fn 返回 NumPy 数组而不是 Paddle Tensor；或传入 use_shared_memory=False。",
        ),
        matches=("ERROR: Unexpected segmentation fault encountered in DataLoader workers.",),
    ),
    Signature(
        id="worker-died-by-signal",
        pattern=r"DataLoader process \(pid\s{1,3}(?P<pid>\d{1,10})\) exited is killed by signal: (?!Killed"
        r"|Bus|Segm)(?P<signal>[\w ]{1,40})",
        role=Role.ROOT,
        cause="dataset-exception-in-worker",
        certainty=Certainty.POSSIBLE,
        says=Text("A DataLoader worker ended by a signal ({signal}).", "DataLoader worker 因信号（{signal}）退出。"),
        matches=("SystemError: (Fatal) DataLoader process (pid 12) exited is killed by signal: Aborted.",),
        misses=("SystemError: (Fatal) DataLoader process (pid 12) exited is killed by signal: Killed.",),
    ),
    Signature(
        id="worker-exception",
        pattern=r"DataLoader worker\s?\((?P<worker>\d{1,6})\) caught (?P<type>\w{1,80}) with message",
        role=Role.ROOT,
        cause="dataset-exception-in-worker",
        says=Text("DataLoader worker {worker} raised {type}.", "DataLoader worker {worker} 抛出了 {type}。"),
        matches=("KeyError: 'DataLoader worker(1) caught KeyError with message:\\n'",),
    ),
    Signature(
        id="fail-to-map",
        pattern=r"fail to map (?:op|sample transform|batch transform|sample"
        r"|batch)\s?\[(?P<op>[^\]]{0,120})\].{0,20}with error:?\s?(?P<error>.{0,300})",
        role=Role.ROOT,
        cause="dataset-exception-in-worker",
        says=Text("The transform {op} failed on a sample: {error}", "变换 {op} 在某个样本上失败：{error}"),
        matches=("WARNING: fail to map sample transform [Resize_3f2a] with error: division by zero and stack:",),
    ),
    Signature(
        id="bad-sample",
        pattern=r"[Ww]hen parsing line .{0,400}|error happened with msg|Your reader has raised an exception",
        role=Role.ROOT,
        cause="dataset-exception-in-worker",
        certainty=Certainty.POSSIBLE,
        says=_SAMPLE,
        matches=(
            "ppocr ERROR: When parsing line train/1.jpg 12, error happened with msg: Traceback",
            "Your reader has raised an exception!",
        ),
    ),
    Signature(
        id="image-file-ignored",
        pattern=r"[Ii]llegal image file: ?(?P<file>.{1,300}?), and it will be ignored",
        role=Role.ROOT,
        cause="file-not-found",
        certainty=Certainty.LIKELY,
        says=Text(
            "The images that the annotations name do not exist; the first is {file}.",
            "标注文件中的图像不存在，第一个是 {file}。",
        ),
        fix=Text(
            "Check dataset_dir and image_dir in the configuration: {file} does not exist.",
            "检查配置中的 dataset_dir 和 image_dir：{file} 不存在。",
        ),
        matches=("ppdet.data.source.coco WARNING: Illegal image file: data/x.jpg, and it will be ignored",),
    ),
    Signature(
        id="shared-memory-made",
        pattern=r"\bRawArray\(|\bSemLock\("
        r"|multiprocessing[/\\](?:heap|synchronize|queues|sharedctypes|shared_memory)\.py|/dev/shm",
        role=Role.CONFIRMATION,
        says=Text("The program was making something in shared memory.", "程序正在共享内存中创建对象。"),
        matches=(
            "    self._shared = RawArray('c', size)",
            '  File "/usr/lib/python3.8/multiprocessing/heap.py", line 73, in __init__',
        ),
    ),
    Signature(
        id="loader-thread-raised",
        pattern=r"DataLoader reader thread raised an exception|multiprocess reader raises an exception"
        r"|[Dd]ata ?[Rr]eader .{0,40}raised? an exception"
        r"|Exception in thread Thread-\d{1,6} \(_thread_loop\)",
        role=Role.ROOT,
        cause="dataset-exception-in-worker",
        certainty=Certainty.POSSIBLE,
        says=_SAMPLE,
        matches=(
            "ERROR:root:DataLoader reader thread raised an exception!",
            "Exception in thread Thread-1 (_thread_loop):",
        ),
    ),
    Signature(
        id="blocking-queue-killed",
        pattern=r"Blocking queue is killed because the data reader raises an exception"
        r"|\[Hint: Expected killed_ != true",
        role=Role.CONSEQUENCE,
        says=_ECHO,
        matches=("SystemError: (Fatal) Blocking queue is killed because the data reader raises an exception.",),
    ),
    Signature(
        id="workers-exit-unexpectedly",
        pattern=r"DataLoader \d{1,6} workers exit unexpectedly|^_?queue\.Empty\b|^Empty$",
        role=Role.CONSEQUENCE,
        says=_ECHO,
        matches=("WARNING dataloader_iter.py - DataLoader 1 workers exit unexpectedly, pids: 4711", "_queue.Empty"),
    ),
    Signature(
        id="loader-shutdown-noise",
        pattern=r"has no attribute '_shutdown'|DataLoader process killed"
        r"|'_DataLoaderIterMultiProcess' object has no attribute",
        role=Role.CONSEQUENCE,
        says=Text(
            "Noise of a DataLoader that could not be built or closed.", "DataLoader 未能创建或关闭时的附带报错。"
        ),
        matches=("AttributeError: '_DataLoaderIterMultiProcess' object has no attribute '_shutdown'",),
    ),
    Signature(
        id="shm-advice",
        pattern=r"It may be caused by insufficient shared storage space"
        r"|please check whether use_shared_memory is set and storage space in /dev/shm",
        role=Role.ADVICE,
        says=Text("Paddle's standard advice about shared memory.", "Paddle 关于共享内存的通用提示。"),
        matches=("please check whether use_shared_memory is set and storage space in /dev/shm is enough",),
    ),
    Signature(
        id="bootstrapping",
        pattern=r"finished its\s{0,3}bootstrapping phase"
        r"|start a new process before the\s{0,3}current process|\bfreeze_support\(\)",
        role=Role.ROOT,
        cause="spawn-guard",
        says=Text(
            "A child process was started while the main module was still being imported.",
            "主模块还在导入时就启动了子进程。",
        ),
        fix=Text(
            "Put what the script does under if __name__ == '__main__':.",
            "把脚本的执行部分放到 if __name__ == '__main__': 之下。",
        ),
        matches=("        current process has finished its bootstrapping phase.", "            freeze_support()"),
    ),
    Signature(
        id="cannot-pickle",
        pattern=r"Can't pickle (?:local object|<)|cannot pickle '|Can't get local object"
        r"|can't pickle \w{1,60} objects?|Can't get attribute '.{1,80}' on <module '__mp_main__'"
        r"|context has already been set",
        role=Role.ROOT,
        cause="spawn-guard",
        says=Text(
            "What is handed to a spawned process cannot be pickled.",
            "传给 spawn 子进程的对象无法被 pickle。",
        ),
        matches=(
            (
                "_pickle.PicklingError: Can't pickle <function <lambda> at 0x7f>: attribute lookup <lambda> "
                "on __main__ failed"
            ),
            "AttributeError: Can't get attribute 'L' on <module '__mp_main__' from 'a.py'>",
            "TypeError: cannot pickle '_io.TextIOWrapper' object",
        ),
    ),
)
