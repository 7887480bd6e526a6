"""What NCCL and Paddle's calls of it print."""

from __future__ import annotations

from paddle_doctor.core.finding import Certainty
from paddle_doctor.core.language import Text
from paddle_doctor.core.signature import Role, Signature

_MISSING = Text("The NCCL library is not found.", "找不到 NCCL 库。")
_FAILED = Text("NCCL failed.", "NCCL 出错。")

SIGNATURES = (
    Signature(
        id="nccl-library-abi",
        pattern=r"libnccl.{0,200}(?:GLIBC|version `)",
        role=Role.ROOT,
        cause="abi-mismatch",
        says=Text(
            "libnccl exists, but was built for another C library.", "libnccl 存在，但它依赖的 C 库版本与本机不符。"
        ),
        matches=(
            (
                "Failed to find dynamic library: libnccl.so ( /lib64/libc.so.6: version `GLIBC_2.14' not "
                "found (required by libnccl.so) )"
            ),
        ),
    ),
    Signature(
        id="nccl-library-missing",
        pattern=r"libnccl\S{0,20}\)? ?(?:that Paddle ?Paddle|that Paddle) depends"
        r"|Failed to find dynamic library: libnccl|libnccl\.so\S{0,8}: cannot open shared object"
        r"|GetNCCLDsoHandle|Can not find library: libnccl",
        role=Role.ROOT,
        cause="nccl-missing",
        says=_MISSING,
        matches=(
            (
                "RuntimeError: (PreconditionNotMet) The third-party dynamic library (libnccl.so) that Paddle "
                "depends on is not configured correctly."
            ),
            (
                "Failed to find dynamic library: libnccl.so ( libnccl.so: cannot open shared object file: No "
                "such file or directory )"
            ),
        ),
        misses=("Failed to find dynamic library: libcudnn.so ( libcudnn.so: cannot open shared object file )",),
    ),
    Signature(
        id="nccl-not-in-build",
        pattern=r"(?:gen_nccl_id|c_gen_nccl_id|c_comm_init|ncclInit"
        r"|c_allreduce\w{0,20}).{0,10}has not been registered"
        r"|has no attribute '(?:ProcessGroupNCCL|NCCLParallelContext)'|compiled with NCCL"
        r"|[Nn]ot compiled with (?:nccl|NCCL)",
        role=Role.ROOT,
        cause="nccl-missing",
        certainty=Certainty.LIKELY,
        says=Text(
            "This Paddle build has no NCCL. On Windows there is none; on Linux it is a CPU build.",
            "当前 Paddle 不带 NCCL。Windows 上没有 NCCL；Linux 上则说明装的是 CPU 版。",
        ),
        matches=(
            'NotFoundError: Operator "gen_nccl_id" has not been registered.',
            "AttributeError: module 'paddle.fluid.core_avx' has no attribute 'ProcessGroupNCCL'",
        ),
    ),
    Signature(
        id="nccl-remote-gone",
        pattern=r"N[Cc][Cc][Ll] error ?\(6\)|ncclRemoteError|remote process exited or there was a network error",
        role=Role.CONSEQUENCE,
        says=Text(
            "The other rank of this NCCL call is gone: look at that rank.", "NCCL 对端 rank 已退出：请查看那个 rank。"
        ),
        matches=("OSError: (External) NCCL error(6), remote process exited or there was a network error.",),
    ),
    Signature(
        id="nccl-failed",
        pattern=r"N[Cc][Cc][Ll] error|unhandled (?:cuda|system) error|ncclUnhandledCudaError"
        r"|ncclSystemError|ncclInternalError|ncclInvalidUsage|NCCLTools\.h:\d{1,6}|NCCL WARN",
        role=Role.ROOT,
        cause="nccl-error",
        certainty=Certainty.LIKELY,
        says=_FAILED,
        matches=(
            "OSError: (External) NCCL error(1), unhandled cuda error.",
            "ExternalError:  Nccl error, unhandled system error  (at collective_helper.cc:79)",
            "Failed, NCCL error /paddle/paddle/fluid/distributed/collective/NCCLTools.h:227 'internal error'",
        ),
    ),
    Signature(
        id="unused-parameters",
        pattern=r"find_unused_parameters=True|groups_need_finalize_|\bhas been ready before\b|not_in_(?:the_)?graph",
        role=Role.ROOT,
        cause="unused-parameters",
        says=Text(
            "DataParallel found parameters without a gradient in this step.", "DataParallel 遇到了本步没有梯度的参数。"
        ),
        matches=(
            (
                "RuntimeError: (PreconditionNotMet) Error happened, when parameter[28][conv2d_28.b_0@GRAD] "
                "has been ready before. Please set find_unused_parameters=True"
            ),
        ),
    ),
)
