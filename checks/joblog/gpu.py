"""What failing jobs print about GPU memory, GPU kernels, and devices that are not there."""

from __future__ import annotations

from paddle_doctor.core.finding import Certainty
from paddle_doctor.core.language import Text
from paddle_doctor.core.signature import Role, Signature

_OOM = Text("GPU memory ran out.", "GPU 显存不足。")
_ILLEGAL = Text(
    "A GPU kernel accessed GPU memory outside its bounds; the line that raises is often not the operator at fault.",
    "GPU kernel 访问了非法的显存地址；抛出异常的那一行往往不是真正出错的算子。",
)
_NO_SUCH_DEVICE = Text(
    "The job asked for a GPU that is not among the visible ones.", "请求的 GPU 不在可见的 GPU 之中。"
)
_CPU_BUILD = Text(
    "This Paddle is a CPU build, and the job asks for a GPU.", "安装的 Paddle 是 CPU 版，而任务要求使用 GPU。"
)

SIGNATURES = (
    Signature(
        id="gpu-oom-asked",
        pattern=r"Out of memory error on GPU (?P<gpu>\d{1,4})\. Cannot allocate (?P<asked>[\d.]{1,30}[KMG]?B) memory",
        role=Role.ROOT,
        cause="gpu-oom",
        says=Text(
            "GPU {gpu} is out of memory: a request for {asked} failed.", "GPU {gpu} 显存不足：申请 {asked} 失败。"
        ),
        fix=Text(
            "Free GPU {gpu} or make the batch smaller; another {asked} did not fit. The number is the GPU's place "
            "within CUDA_VISIBLE_DEVICES.",
            "腾出 GPU {gpu} 的显存或减小 batch：再申请 {asked} 已放不下。这里的 GPU 编号是它在 "
            "CUDA_VISIBLE_DEVICES 中的序号。",
        ),
        commands=("nvidia-smi",),
        matches=(
            (
                "Out of memory error on GPU 0. Cannot allocate 2.250000GB memory on GPU 0, 30.1GB memory has "
                "been allocated"
            ),
            "Out of memory error on GPU 3. Cannot allocate 98.00MB memory on GPU 3, available memory is only 12.3MB.",
        ),
        misses=("Out of memory error on GPU 0. Cannot allocate 655.142555PB memory on GPU 0",),
    ),
    Signature(
        id="gpu-oom-other-words",
        pattern=r"CUDA out of memory|cudaErrorMemoryAllocation|hipErrorOutOfMemory|CUDA error ?\(2\)"
        r"|Cuda error ?\(2\)|CUDA error: out of memory",
        role=Role.ROOT,
        cause="gpu-oom",
        says=_OOM,
        matches=(
            "RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 10.76 GiB total capacity)",
            "OSError: (External) CUDA error(2), out of memory.",
            "what():  parallel_for failed: cudaErrorMemoryAllocation: out of memory",
        ),
        misses=("OSError: (External) CUDA error(209), no kernel image is available for execution on the device.",),
    ),
    Signature(
        id="gpu-oom-old",
        pattern=r"E(?:xcept|xpect)ed allocating <= available|allocation::BadAlloc"
        r"|Cannot malloc [\d.]{1,30} MB GPU memory",
        role=Role.ROOT,
        cause="gpu-oom",
        certainty=Certainty.LIKELY,
        says=_OOM,
        matches=(
            "Enforce failed. Excepted allocating <= available, but received allocating:1234 > available:1000.",
            "terminate called after throwing an instance of 'paddle::memory::allocation::BadAlloc'",
            "Cannot malloc 1024.2 MB GPU memory. Please shrink FLAGS_fraction_of_gpu_memory_to_use",
        ),
    ),
    Signature(
        id="gpu-oom-in-library",
        pattern=r"CU(?:BLAS|DNN)_STATUS_ALLOC_FAILED"
        r"|resource allocation failed inside the (?:cuBLAS|cuDNN) library|CUBLAS error ?\(3\)",
        role=Role.ROOT,
        cause="gpu-oom",
        certainty=Certainty.LIKELY,
        says=Text("A CUDA library could not get memory on the card.", "CUDA 库在显卡上申请不到显存。"),
        matches=(
            "ExternalError: CUDNN error(2), CUDNN_STATUS_ALLOC_FAILED.",
            (
                "OSError: (External) CUBLAS error(3). [Hint: 'CUBLAS_STATUS_ALLOC_FAILED'. Resource "
                "allocation failed inside the cuBLAS library.]"
            ),
        ),
    ),
    Signature(
        id="gpu-full-handle",
        pattern=r"CUDNN error ?\(4\)|CUDNN_STATUS_INTERNAL_ERROR|CUBLAS_STATUS_NOT_INITIALIZED|CUBLAS error ?\(1\)",
        role=Role.ROOT,
        cause="gpu-oom",
        certainty=Certainty.POSSIBLE,
        says=Text(
            "A CUDA library could not start on the card; often because the card is full.",
            "CUDA 库在显卡上初始化失败，常见原因是显存已满。",
        ),
        matches=(
            "OSError: (External) CUDNN error(4), CUDNN_STATUS_INTERNAL_ERROR.",
            "ExternalError: CUBLAS error(1), CUBLAS_STATUS_NOT_INITIALIZED.",
        ),
    ),
    Signature(
        id="resource-exhausted",
        pattern=r"\bResourceExhaustedError\b|^\w{1,40}: \(ResourceExhausted\)",
        role=Role.ROOT,
        cause="gpu-oom",
        certainty=Certainty.POSSIBLE,
        says=Text("A memory request failed.", "内存申请失败。"),
        matches=(
            "ResourceExhaustedError: ",
            "SystemError: (Fatal) Operator conv2d raises an ResourceExhaustedError exception.",
        ),
    ),
    Signature(
        id="memory-request-absurd",
        pattern=r"Cannot allocate (?P<asked>[\d.]{1,30}[TPE]B) memory",
        role=Role.ROOT,
        cause="unknown",
        certainty=Certainty.LIKELY,
        says=Text(
            "{asked} were asked for: no card has that much. A shape or index in the program is wrong.",
            "申请了 {asked}：没有显卡有这么大显存。程序里的某个形状或索引是错误的。",
        ),
        fix=Text(
            "Look for the tensor with the absurd shape: print shapes before the operator in the traceback.",
            "找出形状异常的张量：在 traceback 所指的算子之前打印各张量的形状。",
        ),
        matches=("Cannot allocate 655.142555PB memory on GPU 0, 3.2GB memory has been allocated",),
        misses=("Cannot allocate 1.5GB memory on GPU 0",),
    ),
    Signature(
        id="illegal-access",
        pattern=r"[Cc][Uu][Dd][Aa] ?[Ee]rror ?\(?(?:700|77|716|717)\)?\b|illegal memory access"
        r"|cudaErrorIllegalAddress|misaligned address|errno: ?77\b",
        role=Role.ROOT,
        cause="illegal-memory-access",
        certainty=Certainty.LIKELY,
        says=_ILLEGAL,
        matches=(
            "OSError: (External) CUDA error(700), an illegal memory access was encountered.",
            "cudaStreamSynchronize raises error: an illegal memory access was encountered errno: 77",
        ),
        misses=("OSError: (External) CUDA error(35), CUDA driver version is insufficient",),
    ),
    Signature(
        id="launch-failure",
        pattern=r"[Cc][Uu][Dd][Aa] ?[Ee]rror ?\(?(?:719|4)\)?\b|unspecified launch failure"
        r"|cudaErrorLaunchFailure|device-side assert|[Cc][Uu][Dd][Aa] error ?\(?(?:59|710)\)?\b",
        role=Role.ROOT,
        cause="illegal-memory-access",
        certainty=Certainty.POSSIBLE,
        says=_ILLEGAL,
        matches=(
            "OSError: (External) CUDA error(719), unspecified launch failure.",
            "RuntimeError: CUDA error: device-side assert triggered",
        ),
    ),
    Signature(
        id="cuda-library-failed",
        pattern=r"CUDNN error ?\(8\)|CUDNN_STATUS_EXECUTION_FAILED|CUBLAS error ?\(13\)|CUBLAS_STATUS_EXECUTION_FAILED",
        role=Role.ROOT,
        cause="unknown",
        certainty=Certainty.POSSIBLE,
        says=Text(
            "A CUDA library failed while it ran; the line alone does not tell why.",
            "CUDA 库执行失败；仅凭这一行无法判断原因。",
        ),
        fix=Text(
            "Run again with CUDA_LAUNCH_BLOCKING=1, and look for an assertion or an out-of-memory line above.",
            "设置 CUDA_LAUNCH_BLOCKING=1 重新运行，并查看上文是否有断言或显存不足的信息。",
        ),
        commands=("export CUDA_LAUNCH_BLOCKING=1",),
        matches=("ExternalError: CUDNN error(8), CUDNN_STATUS_EXECUTION_FAILED.",),
    ),
    Signature(
        id="device-id-count",
        pattern=r"[Dd]evice id must be less than GPU count, but received id is: ?(?P<asked>\d{1,6})\. "
        r"?GPU count is: ?(?P<count>\d{1,6})",
        role=Role.ROOT,
        cause="device-index-invalid",
        says=Text(
            "GPU {asked} was asked for, and {count} are visible.", "请求 GPU {asked}，而可见的 GPU 有 {count} 块。"
        ),
        fix=Text(
            "Use ids below {count}, or show more cards to the job in CUDA_VISIBLE_DEVICES. If the count "
            "is 0, no GPU is visible at all: look at nvidia-smi.",
            "使用小于 {count} 的编号，或在 CUDA_VISIBLE_DEVICES 中放开更多卡。若数量为 0，说明一块 GPU "
            "都看不到：先看 nvidia-smi。",
        ),
        commands=("nvidia-smi -L", "echo $CUDA_VISIBLE_DEVICES"),
        matches=(
            "InvalidArgumentError: Device id must be less than GPU count, but received id is: 1. GPU count is: 1.",
        ),
    ),
    Signature(
        id="cuda-place-invalid",
        pattern=r"Invalid CUDAPlace\((?P<asked>\d{1,6})\), must inside \[0, (?P<count>\d{1,6})\)"
        r"|[Ii]nvalid device ordinal|CUDA error ?\(101\)|Cuda error ?\(10\)",
        role=Role.ROOT,
        cause="device-index-invalid",
        says=_NO_SUCH_DEVICE,
        matches=(
            "EnforceNotMet: Invalid CUDAPlace(1), must inside [0, 1) at [pybind.cc:792]",
            "ExternalError: CUDA error(101), invalid device ordinal.",
        ),
    ),
    Signature(
        id="place-unsupported",
        pattern=r"Place\(?\s?(?:CUDAPlace\(\d{1,4}\)|gpu:\d{1,4}|\(gpu:\d{1,4}\))\)? is not supported"
        r"|Place CUDAPlace\(\d{1,4}\) is not supported",
        role=Role.ROOT,
        cause="device-index-invalid",
        certainty=Certainty.LIKELY,
        says=Text(
            "The program uses a GPU that was not given to this process.",
            "程序使用了未分配给该进程的 GPU。",
        ),
        matches=(
            (
                "UnavailableError: Place CUDAPlace(0) is not supported. Please check that your paddle "
                "compiles with WITH_GPU"
            ),
            "Place(gpu:0) is not supported",
        ),
    ),
    Signature(
        id="visible-devices-wrong",
        pattern=r"CUDA_VISIBLE_DEVICES .{0,60}(?:shoule|should|must)"
        r"|selected_gpus .{0,60}(?:not in|should|must)"
        r"|gpus? id .{0,40}(?:out of range|not valid|invalid)"
        r"|[Cc]an't find .{0,40}in CUDA_VISIBLE_DEVICES|not in CUDA_VISIBLE_DEVICES",
        role=Role.ROOT,
        cause="device-index-invalid",
        certainty=Certainty.LIKELY,
        says=_NO_SUCH_DEVICE,
        matches=(
            "AssertionError: Can't find your gpu in CUDA_VISIBLE_DEVICES[0,1]",
            "ValueError: selected_gpus 3 should be in the visible devices",
        ),
    ),
    Signature(
        id="cpu-build-gpu-place",
        pattern=r"Cannot use (?:GPU|CUDAPlace|CUDAPinnedPlace) because you have installed CPU version"
        r"|since PaddlePaddle is not compiled with CUDA"
        r"|PaddlePaddle is not compiled with (?:CUDA|GPU|XPU|ROCM|NPU)"
        r"|with ?GPU, but (?:your )?Paddle ?Paddle (?:is )?(?:CPU|not compiled)"
        r"|you are using CPU version PaddlePaddle",
        role=Role.ROOT,
        cause="cpu-only-build",
        says=_CPU_BUILD,
        matches=(
            (
                "E1201 00:58:28.910689 9187 place.cc:333] Cannot use GPU because you have installed CPU "
                "version PaddlePaddle."
            ),
            "ValueError: The device should not be 'gpu', since PaddlePaddle is not compiled with CUDA",
        ),
        misses=("Cannot use GPU because there is no GPU detected on your machine.",),
    ),
    Signature(
        id="cpu-build-config",
        pattern=r"use_gpu cannot be set as [Tt]rue.{0,60}(?:CPU|cpu|compiled)"
        r"|has no attribute '(?:get_cuda_device_count|CUDAStream|CUDAGraph|get_cudnn_version)'"
        r"|(?:core_avx|core_noavx|libpaddle).{0,60}has no attribute '(?:NCCLParallelContext"
        r"|ProcessGroupNCCL)'",
        role=Role.ROOT,
        cause="cpu-only-build",
        certainty=Certainty.LIKELY,
        says=_CPU_BUILD,
        matches=(
            "Config use_gpu cannot be set as true while you are using paddlepaddle cpu version !",
            "AttributeError: module 'paddle.fluid.core_avx' has no attribute 'get_cuda_device_count'",
        ),
    ),
)
