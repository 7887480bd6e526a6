"""What a CUDA stack that does not fit together prints: driver, architecture, cuDNN, cuBLAS, forked processes."""

from __future__ import annotations

from paddle_doctor.core.finding import Certainty
from paddle_doctor.core.language import Text
from paddle_doctor.core.signature import Role, Signature

_DRIVER_OLD = Text(
    "The NVIDIA driver is too old for the CUDA of this Paddle build.",
    "NVIDIA 驱动版本低于当前 Paddle 所用 CUDA 的要求。",
)
_NO_DRIVER = Text("No GPU or no NVIDIA driver is visible to the job.", "任务看不到 GPU 或 NVIDIA 驱动。")
_ARCH = Text("This Paddle build has no code for this GPU's architecture.", "当前 Paddle 不含适用于该 GPU 架构的代码。")
_CUDNN = Text("A CUDA library is missing or not found: {library}.", "缺少或找不到 CUDA 库：{library}。")

SIGNATURES = (
    Signature(
        id="driver-too-old",
        pattern=r"driver version is insufficient|[Cc][Uu][Dd][Aa] ?[Ee]rror ?\((?:35|803|804)\)"
        r"|[Ee]rror code ?: ?35\b|system has unsupported display driver|driver is too old"
        r"|CUDA_ERROR_SYSTEM_DRIVER_MISMATCH|forward compatibility was attempted",
        role=Role.ROOT,
        cause="cuda-driver-mismatch",
        says=_DRIVER_OLD,
        matches=(
            "OSError: (External) CUDA error(35), CUDA driver version is insufficient for CUDA runtime version.",
            "error code : 35, CUDA driver version is insufficient",
        ),
    ),
    Signature(
        id="no-gpu-found",
        pattern=r"no GPU found in runtime|[Cc][Uu][Dd][Aa] ?[Ee]rror ?\(100\)"
        r"|no CUDA-capable device is detected|there is no GPU detected|Failed to initialize NVML"
        r"|couldn't communicate with the NVIDIA driver|libcuda\.so\S{0,8}: cannot open"
        r"|Driver/library version mismatch",
        role=Role.ROOT,
        cause="cuda-driver-mismatch",
        certainty=Certainty.LIKELY,
        says=_NO_DRIVER,
        matches=(
            "W1201 init.cc:100] Compiled with WITH_GPU, but no GPU found in runtime.",
            "ExternalError: CUDA error(100), no CUDA-capable device is detected.",
            "E1201 place.cc:333] Cannot use GPU because there is no GPU detected on your machine.",
        ),
    ),
    Signature(
        id="arch-not-supported",
        pattern=r"GPU architecture in your current machine is.{0,80}not compatible"
        r"|Mismatched GPU Architecture|not compatible with Paddle installation with arch"
        r"|compiled with.{0,60}sm_\d{2,3}.{0,80}not compatible",
        role=Role.ROOT,
        cause="gpu-arch-mismatch",
        says=_ARCH,
        matches=(
            (
                "W1201 gpu_resources.cc:96] The GPU architecture in your current machine is Pascal, which is "
                "not compatible with Paddle installation with arch: 70 75 80"
            ),
        ),
    ),
    Signature(
        id="no-kernel-image",
        pattern=r"no kernel image is available|[Cc][Uu][Dd][Aa] ?[Ee]rror ?\((?:209|48|218|222|98|8)\)"
        r"|cudaErrorNoKernelImageForDevice|unsupported PTX version"
        r"|PTX was compiled with an unsupported toolchain|invalid device function"
        r"|not support your GPU arch",
        role=Role.ROOT,
        cause="gpu-arch-mismatch",
        says=_ARCH,
        matches=(
            "OSError: (External) CUDA error(209), no kernel image is available for execution on the device.",
            (
                "what():  parallel_for failed: cudaErrorNoKernelImageForDevice: no kernel image is available "
                "for execution on the device"
            ),
        ),
    ),
    Signature(
        id="cuda-library-missing",
        pattern=r"(?P<library>lib(?:cudnn|cublas|cublasLt|cusolver|curand|cufft|cudart|cusparse)\S{0,20}?"
        r"|cu(?:dnn|blas|solver|rand|fft|dart)\w{0,20}_?\d{0,3}\.dll"
        r"|zlibwapi\.dll)\W{0,2}\s?(?:that Paddle|\(|: cannot open|is not found|not found)",
        role=Role.ROOT,
        cause="cudnn-missing-or-mismatch",
        says=_CUDNN,
        matches=(
            (
                "PreconditionNotMetError: The third-party dynamic library (libcudnn.so) that Paddle depends "
                "on is not configured correctly. (error code is libcudnn.so: cannot"
            ),
            "(cudnn64_7.dll) that Paddle depends on is not configured correctly. (error code is 126)",
            (
                "Failed to find dynamic library: libcublas.so ( libcublas.so: cannot open shared object "
                "file: No such file or directory )"
            ),
        ),
        misses=("The third-party dynamic library (libnccl.so) that Paddle depends on is not configured correctly.",),
    ),
    Signature(
        id="cuda-library-not-found",
        pattern=r"Could not locate (?P<library>zlibwapi\.dll|cudnn\S{0,30}|cublas\S{0,30})"
        r"|[Cc]an ?not find library: (?P<name>libcu\S{1,30})"
        r"|Note: \[Recommend\] copy cudnn into CUDA installation directory"
        r"|Could not load library (?P<dll>\S{0,4}libcu\S{1,40}|cu\S{1,40})",
        role=Role.ROOT,
        cause="cudnn-missing-or-mismatch",
        certainty=Certainty.LIKELY,
        says=Text("A CUDA library is missing or not found.", "缺少或找不到 CUDA 库。"),
        matches=(
            "Could not locate zlibwapi.dll. Please make sure it is in your library path!",
            "W0529 dynamic_loader.cc:120] Can not find library: libcudnn.so. The process maybe hang.",
        ),
    ),
    Signature(
        id="cudnn-version",
        pattern=r"CUDNN_STATUS_(?:NOT_INITIALIZED|ARCH_MISMATCH|VERSION_MISMATCH|NOT_SUPPORTED)"
        r"|CUDNN error ?\((?:1|6|9)\)|undefined symbol: cudnn|Could not load symbol cu(?:dnn|blas)",
        role=Role.ROOT,
        cause="cudnn-missing-or-mismatch",
        certainty=Certainty.LIKELY,
        says=Text("cuDNN does not match CUDA, the driver or the card.", "cuDNN 与 CUDA、驱动或显卡不匹配。"),
        matches=("ExternalError: CUDNN error(1), CUDNN_STATUS_NOT_INITIALIZED.",),
    ),
    Signature(
        id="fork-after-cuda",
        pattern=r"[Cc][Uu][Dd][Aa] ?[Ee]rror ?\(3\)|Cannot re-initialize CUDA in forked subprocess"
        r"|cudaErrorInitializationError|CUDA.{0,40}\binitialization error\b",
        role=Role.ROOT,
        cause="fork-after-cuda",
        says=Text(
            "CUDA was used in a process that was forked after CUDA had started.",
            "在 CUDA 初始化之后 fork 出来的子进程里使用了 CUDA。",
        ),
        matches=(
            "OSError: (External) CUDA error(3), initialization error.",
            "RuntimeError: Cannot re-initialize CUDA in forked subprocess.",
        ),
        misses=("OSError: (External) CUDA error(35), CUDA driver version is insufficient for CUDA runtime version.",),
    ),
    Signature(
        id="device-note",
        pattern=r"(?:GPU Compute|CUDA) Capability: (?P<capability>\d{1,3}(?:\.\d)?), Driver (?:API "
        r")?Version: (?P<driver>\d{1,2}\.\d{1,2}), Runtime (?:API )?Version: "
        r"(?P<runtime>\d{1,2}\.\d{1,2})",
        role=Role.CONFIRMATION,
        says=Text(
            "GPU of compute capability {capability}, driver for CUDA {driver}, Paddle built for CUDA {runtime}.",
            "GPU 计算能力 {capability}，驱动支持 CUDA {driver}，Paddle 按 CUDA {runtime} 编译。",
        ),
        matches=(
            (
                "W1201 gpu_context.cc:278] Please NOTE: device: 0, GPU Compute Capability: 7.5, Driver API "
                "Version: 11.4, Runtime API Version: 10.1"
            ),
        ),
    ),
    Signature(
        id="cuda-advice",
        pattern=r"Suggestions:|Check if you have installed CUDA"
        r"|Please specify its path correctly using following ways"
        r"|\[Hint: Please search for the error code|decrease the batch size of your model",
        role=Role.ADVICE,
        says=Text("Standard advice that Paddle prints for any fault.", "Paddle 的固定提示文字，与具体故障无关。"),
        matches=("  Suggestions:", "Please specify its path correctly using following ways:"),
    ),
)
