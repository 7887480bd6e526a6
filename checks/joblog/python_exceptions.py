"""Exceptions whose words name a cause: files, modules, binary packages, versions of Paddle, arguments."""

from __future__ import annotations

from paddle_doctor.core.finding import Certainty
from paddle_doctor.core.language import Text
from paddle_doctor.core.signature import Role, Signature

_MODULE = Text("The Python module {module} is not installed.", "没有安装 Python 模块 {module}。")
_INSTALL = Text(
    "Install {module} into the interpreter that runs the job.", "把 {module} 安装到运行任务的 Python 解释器中。"
)
_FILE = Text("A file or folder does not exist.", "文件或目录不存在。")
_API = Text(
    "The code uses a name that this Paddle version does not have: {name}.",
    "代码使用了当前 Paddle 版本没有的名字：{name}。",
)
_ABI = Text("The versions of installed binary packages do not match.", "已安装的二进制软件包互不兼容。")
_ARGUMENTS = Text("The command line or configuration is wrong.", "命令行参数或配置有误。")

#: Toolkits that are built on Paddle and change with it.
_TOOLKIT = (
    "(?:paddlenlp|paddleseg|ppdet|paddlex|ppcls|paddleocr|paddlespeech|paddle3d|paddlehub|ppgan|paddleformers"
    "|paddlemix|paddleslim|paddlelite|pgl|parl)"
)

SIGNATURES = (
    Signature(
        id="paddle-module-gone",
        pattern=r"No module named '?(?P<name>paddle\.fluid\S{0,80}?|paddle\.distributed\.run"
        r"|paddle\.(?:dataset|reader|v2|trainer\S{0,40}?|compat|nn\.layer\.\S{0,40}?))'?$",
        role=Role.ROOT,
        cause="paddle-api-version",
        says=_API,
        fix=Text(
            "{name} was removed from Paddle. Install the Paddle version that this code was written for, or port it "
            "(paddle.fluid was removed in 2.5/2.6).",
            "{name} 已从 Paddle 中移除。请安装代码所对应的 Paddle 版本，或迁移代码（paddle.fluid 自 2.5/2.6 起移除）。",
        ),
        matches=("ModuleNotFoundError: No module named 'paddle.fluid'", "ImportError: No module named paddle.fluid"),
        misses=("ModuleNotFoundError: No module named 'paddle'",),
    ),
    Signature(
        id="paddle-name-gone",
        pattern=r"module '(?P<module>paddle(?:\.[\w.]{1,80})?)' has no attribute '(?P<name>\w{1,80})'"
        r"|cannot import name '?(?P<imported>\w{1,80})'? from (?:partially initialized module "
        r")?'?paddle(?:\.\S{0,80})?\b|unexpected keyword argument '\w{1,60}'.{0,40}paddle",
        role=Role.ROOT,
        cause="paddle-api-version",
        certainty=Certainty.LIKELY,
        says=Text(
            "The code uses a name that the installed Paddle does not have.", "代码使用了已安装的 Paddle 中没有的名字。"
        ),
        matches=(
            "AttributeError: module 'paddle' has no attribute 'enable_static'",
            "ImportError: cannot import name 'fluid' from 'paddle' (/usr/lib/python3/site-packages/paddle/__init__.py)",
        ),
        misses=(
            "AttributeError: module 'paddleseg' has no attribute 'x'",
            "ImportError: cannot import name 'x' from 'paddleocr.utils'",
        ),
    ),
    Signature(
        id="toolkit-name-gone",
        pattern=rf"module '{_TOOLKIT}(?:\.[\w.]{{1,80}})?' has no attribute '\w{{1,80}}'"
        rf"|cannot import name '?\w{{1,80}}'? from '?{_TOOLKIT}\b",
        role=Role.ROOT,
        cause="paddle-api-version",
        certainty=Certainty.LIKELY,
        says=Text(
            "The code uses a name that the installed release of the toolkit does not have.",
            "代码使用了已安装的套件版本中没有的名字。",
        ),
        fix=Text("Install the release of the toolkit that this code was written for.", "安装与代码对应的套件版本。"),
        matches=(
            "AttributeError: module 'paddlenlp' has no attribute 'losses'",
            "ImportError: cannot import name 'Foo' from 'paddleseg.utils' (/x/paddleseg/utils.py)",
        ),
        misses=("AttributeError: module 'utils' has no attribute 'x'",),
    ),
    Signature(
        id="wrong-paddle-package",
        pattern=r"^paddle(?:==|\s{2,40})[01]\.\d|accidentally pulled in an\s{0,4}incorrect dependency",
        role=Role.ROOT,
        cause="missing-dependency",
        says=Text(
            "The package named paddle on PyPI is not PaddlePaddle.", "PyPI 上名为 paddle 的软件包并不是 PaddlePaddle。"
        ),
        fix=Text(
            "Uninstall paddle, and install paddlepaddle or paddlepaddle-gpu.",
            "卸载 paddle，安装 paddlepaddle 或 paddlepaddle-gpu。",
        ),
        commands=("python -m pip uninstall -y paddle", "python -m pip install paddlepaddle"),
        matches=("paddle==1.0.2", "Hey! Looks like you accidentally pulled in an incorrect dependency."),
        misses=("paddlepaddle==1.8.5", "paddle==2.0"),
    ),
    Signature(
        id="import-of-other-version",
        pattern=r"cannot import name '?\w{1,80}'? from (?:partially initialized module )?'(?!paddle"
        r"|pp)[\w.]{1,100}' \(.{1,300}(?:site|dist)-packages",
        role=Role.ROOT,
        cause="abi-mismatch",
        certainty=Certainty.LIKELY,
        says=Text("The versions of two installed packages do not match.", "两个已安装的软件包版本不匹配。"),
        matches=(
            (
                "ImportError: cannot import name 'Mapping' from 'collections_x' "
                "(/usr/lib/python3/dist-packages/collections_x/__init__.py)"
            ),
        ),
        misses=(
            "ImportError: cannot import name 'fluid' from 'paddle' (/usr/lib/python3/site-packages/paddle/__init__.py)",
        ),
    ),
    Signature(
        id="protobuf-advice",
        pattern=r"Downgrade the protobuf package to 3\.20"
        r"|your generated code is out of date and must be regenerated with protoc",
        role=Role.ROOT,
        cause="abi-mismatch",
        certainty=Certainty.LIKELY,
        says=Text(
            "The installed protobuf is too new for the generated code of a package.",
            "已安装的 protobuf 对某个软件包的生成代码来说太新。",
        ),
        fix=Text("Install protobuf 3.20.x.", "安装 protobuf 3.20.x。"),
        commands=('python -m pip install "protobuf<3.21"',),
        matches=(" 1. Downgrade the protobuf package to 3.20.x or lower.",),
    ),
    Signature(
        id="paddle-version-required",
        pattern=r"(?:requires?|need|needs|installation|satisfied"
        r"|install).{0,60}[Pp]addle(?:[Pp]addle)?(?:-gpu)? ?(?:version )?.{0,20}(?:>=|<=|==|should"
        r"|or higher|or later|version)|VersionError: .{0,80}[Pp]addle"
        r"|[Oo]perator .{0,60}version .{0,60}(?:not compatible|higher|newer)"
        r"|op_version.{0,80}incompatible"
        r"|PaddlePaddle version .{0,60}(?:required|should be|not satisfied)",
        role=Role.ROOT,
        cause="paddle-api-version",
        certainty=Certainty.LIKELY,
        says=Text("The code asks for another version of Paddle.", "代码要求另一个版本的 Paddle。"),
        matches=(
            "Exception: VersionError: PaddlePaddle version 2.0 or higher is required, but 1.8.4 installed",
            "ERROR: This repo requires PaddlePaddle >= 2.4 but got 2.1",
        ),
        misses=("Successfully installed the package",),
    ),
    Signature(
        id="module-missing",
        pattern=r"No module named ['\"]?(?P<module>[A-Za-z_][\w.]{0,100})",
        role=Role.ROOT,
        cause="missing-dependency",
        says=_MODULE,
        fix=_INSTALL,
        matches=("ModuleNotFoundError: No module named 'shapely'", "ImportError: No module named yaml"),
    ),
    Signature(
        id="library-of-package-missing",
        pattern=r"ImportError: (?P<library>lib\S{1,80}\.so\S{0,12}): cannot open shared object file"
        r"|DLL load failed while importing \S{1,80}: (?:找不到指定的模块"
        r"|The specified module could not be found)|\[WinError 126\]|找不到指定的模块",
        role=Role.ROOT,
        cause="missing-dependency",
        certainty=Certainty.LIKELY,
        says=Text("A library that a Python package needs is not installed.", "缺少 Python 软件包依赖的动态库。"),
        matches=(
            "ImportError: libGL.so.1: cannot open shared object file: No such file or directory",
            "OSError: [WinError 126] 找不到指定的模块。",
        ),
    ),
    Signature(
        id="binary-mismatch",
        pattern=r"numpy\.(?:ndarray|dtype|ufunc) size changed|binary incompatibility"
        r"|Descriptors cannot(?: not)? be created directly|undefined symbol: (?!cudnn)"
        r"|version `GLIBC(?:XX)?_|version `CXXABI|numpy\.core\.multiarray failed to import"
        r"|_ARRAY_API not found|A module that was compiled using NumPy 1\.x"
        r"|module compiled against (?:ABI|API) version|module 'numpy' has no attribute"
        r"|\[WinError 127\]|找不到指定的程序|specified procedure could not be found"
        r"|'FieldDescriptor' object has no attribute|incompatible with numpy"
        r"|is incompatible with \S{1,60} ?[<>=]|GLIBC_\d\S{0,20}' not found",
        role=Role.ROOT,
        cause="abi-mismatch",
        says=_ABI,
        matches=(
            (
                "ValueError: numpy.ndarray size changed, may indicate binary incompatibility. Expected 88 "
                "from C header, got 80 from PyObject"
            ),
            "TypeError: Descriptors cannot not be created directly.",
            "ImportError: /lib64/libstdc++.so.6: version `GLIBCXX_3.4.20' not found",
            "AttributeError: module 'numpy' has no attribute 'bool'.",
        ),
    ),
    Signature(
        id="file-missing",
        pattern=r"\[Errno 2\] No such file or directory(?:: "
        r"(?P<quote>['\"])(?P<file>.{1,400}?)(?P=quote))?|FileNotFoundError\b"
        r"|can't open file '?(?P<script>[^':]{1,300})|NotADirectoryError\b"
        r"|系统找不到指定的(?:文件|路径)|\[WinError [23]\]|\[Errno 13\] Permission denied"
        r"|PermissionError\b",
        role=Role.ROOT,
        cause="file-not-found",
        says=_FILE,
        matches=(
            "FileNotFoundError: [Errno 2] No such file or directory: 'data/train.txt'",
            "python: can't open file 'train.py': [Errno 2] No such file or directory",
            "PermissionError: [Errno 13] Permission denied: '/root/x'",
        ),
    ),
    Signature(
        id="path-not-exists",
        pattern=r"\(NotFound\).{0,40}[Cc]annot open file|[Cc]annot open file (?P<opened>\S{1,300}), please"
        r"|(?:^|[\s'\"(`=])(?P<file>[\w./\\:~-]{2,300})['\"`]?\)? (?:is|does|do|are) ?(?:not"
        r"|n't) (?:exists?|found|a file|a directory|existed)\b(?!,? ?(?:try|in\b))|to load model not exists"
        r"|[Ff]ailed to load parameters, please check path|[Nn]o such file or dir"
        r"|[Pp]ath .{0,300}(?:not exists?|doesn't exist|does not exist)",
        role=Role.ROOT,
        cause="file-not-found",
        certainty=Certainty.LIKELY,
        says=_FILE,
        matches=(
            "Exception: ./train_data/1.jpg does not exist!",
            "RuntimeError: (NotFound) Cannot open file ./model/weights, please confirm whether the file is normal.",
            "ValueError: The ``path`` (model.pdparams) to load model not exists.",
            "AssertionError: Failed to load parameters, please check path.",
        ),
    ),
    Signature(
        id="command-missing",
        pattern=r"(?:^|[:：] ?)(?P<command>[\w./-]{1,80})[:：] ?(?:command not found"
        r"|No such file or directory|未找到命令|没有那个文件或目录)$"
        r"|is not recognized as an internal or external command|不是内部或外部命令",
        role=Role.ROOT,
        cause="file-not-found",
        certainty=Certainty.LIKELY,
        says=Text("The shell does not find a command or file.", "shell 找不到命令或文件。"),
        matches=(
            "bash: fleetrun: command not found",
            "./run.sh: line 3: nvcc: command not found",
            "bash: fleetrun：未找到命令",
        ),
    ),
    Signature(
        id="arguments-refused",
        pattern=r"error: (?:unrecognized arguments|the following arguments are required"
        r"|argument \S{1,100}: |too few arguments|invalid choice|ambiguous option)"
        r"|unrecognized arguments:|No such option|got an unexpected extra argument",
        role=Role.ROOT,
        cause="config-error",
        says=_ARGUMENTS,
        matches=(
            "train.py: error: unrecognized arguments: --gpus 0",
            "x.py: error: the following arguments are required: --config",
        ),
    ),
    Signature(
        id="launcher-refused",
        pattern=r"[Cc]an't find (?:your local ip|PADDLE_TRAINER_ENDPOINTS)"
        r"|PADDLE_\w{1,40} (?:should|must) .{0,60}"
        r"|trainers? ?num.{0,40}(?:not equal|should|must)|should be set only \d card"
        r"|shoule be set only|unsupported (?:run_?mode|backend)"
        r"|nproc_per_node .{0,60}(?:should|must|larger|greater|but)|Don't supported devices",
        role=Role.ROOT,
        cause="config-error",
        certainty=Certainty.LIKELY,
        says=Text(
            "The launcher or Paddle does not accept the way the job was started.",
            "启动器或 Paddle 拒绝当前的启动方式。",
        ),
        matches=("AssertionError: Can't find your local ip {127.0.0.1} in node_ips: {['10.0.0.2']}",),
    ),
    Signature(
        id="yaml-refused",
        pattern=r"yaml\.(?:scanner|parser|constructor|composer|reader)\.\w{1,40}"
        r"|(?:ScannerError|ParserError|ConstructorError)\b.{0,80}|json\.decoder\.JSONDecodeError"
        r"|JSONDecodeError\b|[Ii]nvalid (?:config|argument value)"
        r"|[Uu]nknown (?:config|option|argument)",
        role=Role.ROOT,
        cause="config-error",
        certainty=Certainty.LIKELY,
        says=Text(
            "A configuration file cannot be read or holds something unknown.", "配置文件无法解析，或含有未知内容。"
        ),
        matches=(
            "yaml.scanner.ScannerError: mapping values are not allowed here",
            "json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)",
        ),
    ),
    Signature(
        id="class-count-differs",
        pattern=r"num_classes.{0,80}(?:not (?:equal|match)|mismatch|should|must|!=|differ)"
        r"|number of classes.{0,80}(?:not (?:equal|match)|mismatch|should|must|differ)",
        role=Role.ROOT,
        cause="config-error",
        certainty=Certainty.LIKELY,
        says=Text("The configured number of classes does not match the data.", "配置的类别数与数据不一致。"),
        matches=("AssertionError: num_classes in config (80) not equal to the dataset's (20)",),
    ),
    Signature(
        id="interrupted",
        pattern=r"\^C(?:\W|$|[A-Z])|KeyboardInterrupt\b|\bSIGINT \(@0x",
        role=Role.ROOT,
        cause="killed-from-outside",
        certainty=Certainty.LIKELY,
        says=Text("The user pressed Ctrl-C, or something sent SIGINT.", "用户按下了 Ctrl-C，或有程序发送了 SIGINT。"),
        matches=("KeyboardInterrupt", "^CTraceback (most recent call last):"),
    ),
    Signature(
        id="scheduler-ended",
        pattern=r"slurmstepd: error: .{0,80}(?:CANCELLED|DUE TO TIME LIMIT)|DUE TO TIME LIMIT"
        r"|Job \S{1,40} (?:preempted|cancelled|evicted)|\bPreempted\b"
        r"|Received (?:SIGTERM|SIGHUP|signal 15|signal: 15)",
        role=Role.ROOT,
        cause="killed-from-outside",
        says=Text("A scheduler ended the job.", "调度系统终止了任务。"),
        matches=("slurmstepd: error: *** JOB 4711 ON node1 CANCELLED AT 2026-12-01T00:00:00 DUE TO TIME LIMIT ***",),
    ),
)
