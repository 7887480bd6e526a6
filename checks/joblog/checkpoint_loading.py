"""What loading weights and optimizer state prints when a file does not fit or is damaged."""

from __future__ import annotations

from paddle_doctor.core.finding import Certainty
from paddle_doctor.core.language import Text
from paddle_doctor.core.signature import Role, Signature

_CORRUPT = Text(
    "The checkpoint file is damaged, cut short, or not a checkpoint at all.",
    "权重文件已损坏、被截断，或根本不是权重文件。",
)

SIGNATURES = (
    Signature(
        id="pickle-truncated",
        pattern=r"pickle data was truncated|UnpicklingError|EOFError: Ran out of input"
        r"|can not parse the file:|invalid load key|Cannot read tensor desc size|unexpected EOF"
        r"|not a zip file|A load persistent id instruction"
        r"|An error occurred while loading model parameters|Not allowed to load partial data",
        role=Role.ROOT,
        cause="checkpoint-corrupt",
        says=_CORRUPT,
        matches=(
            "_pickle.UnpicklingError: pickle data was truncated",
            "ValueError: `paddle.load` can not parse the file:model.pdparams.",
            "EOFError: Ran out of input",
        ),
    ),
    Signature(
        id="deserialize-failed",
        pattern=r"Deserialize to tensor failed, maybe the loaded file is not a paddle model",
        role=Role.ROOT,
        cause="checkpoint-corrupt",
        certainty=Certainty.POSSIBLE,
        says=Text(
            "What was loaded is not a Paddle model: often the path is a folder or another kind of file.",
            "加载的不是 Paddle 模型：常见原因是路径指向了目录或其他类型的文件。",
        ),
        matches=(
            (
                "ValueError: (InvalidArgument) Deserialize to tensor failed, maybe the loaded file is not a "
                "paddle model(expected file format: 0, but 3 found)."
            ),
        ),
    ),
    Signature(
        id="numpy-core-moved",
        pattern=r"No module named 'numpy\._core'|numpy\._core\.multiarray",
        role=Role.ROOT,
        cause="checkpoint-corrupt",
        certainty=Certainty.LIKELY,
        says=Text(
            "The checkpoint was saved under NumPy 2 and is read under NumPy 1.25 or older.",
            "权重文件在 NumPy 2 下保存，却在 NumPy 1.25 或更旧的版本下读取。",
        ),
        fix=Text(
            "Install numpy 1.26 or later in the job's environment, or save the file again under NumPy 1.",
            "在任务环境中安装 numpy 1.26 及以上，或在 NumPy 1 下重新保存该文件。",
        ),
        commands=('python -m pip install "numpy>=1.26"',),
        matches=("ModuleNotFoundError: No module named 'numpy._core'",),
    ),
    Signature(
        id="optimizer-state-names",
        pattern=r"Optimizer set error, (?P<key>\S{1,200}) should in state dict"
        r"|optimizer Tensor (?P<tensor>\S{1,200}) not found"
        r"|Can not find \[(?P<name>\S{1,200})\] in model file",
        role=Role.ROOT,
        cause="checkpoint-key-mismatch",
        says=Text(
            "The optimizer's state in the file belongs to other parameters.", "文件中的优化器状态属于另一组参数。"
        ),
        fix=Text(
            "Load the optimizer state only to resume the same run (same network, same number of cards "
            "and kind of batch norm); for fine-tuning load the weights alone.",
            "只有在恢复同一次训练（网络、卡数、BN 类型都相同）时才加载优化器状态；微调时只加载权重。",
        ),
        matches=("AssertionError: Optimizer set error, conv2d_0.w_0_moment1_0 should in state dict",),
    ),
    Signature(
        id="state-keys-refused",
        pattern=r"[Uu]nexpected key \"\S{1,200}\" in state_dict|Unexpected key\(s\) in state_dict"
        r"|Missing key\(s\) in state_dict|Error\(s\) in loading state_dict"
        r"|is not in (?:the )?(?:pretrained model|state_?dict|checkpoint)\b"
        r"|Cannot open file \S{1,300} for load op"
        r"|(?:KeyError|keys?).{0,60}(?:not found|mismatch).{0,40}(?:checkpoint|state_dict"
        r"|pretrain)",
        role=Role.ROOT,
        cause="checkpoint-key-mismatch",
        certainty=Certainty.LIKELY,
        says=Text("Keys of the checkpoint and of the model differ.", "权重文件与模型的键不一致。"),
        matches=(
            'RuntimeError: Error(s) in loading state_dict for Net: Missing key(s) in state_dict: "fc.weight"',
            "Cannot open file ./model/conv1_weights for load op",
        ),
    ),
    Signature(
        id="variable-shape",
        pattern=r"Variable Shape not match, Variable \[ ?(?P<key>\S{1,200}) ?\] need tensor with shape "
        r"(?P<wanted>[\[(][^\])]{0,80}[\])]) but load set tensor with shape "
        r"(?P<found>[\[(][^\])]{0,80}[\])])",
        role=Role.ROOT,
        cause="checkpoint-shape-mismatch",
        says=Text(
            "{key} needs the shape {wanted}, but the file has {found}.", "{key} 需要形状 {wanted}，而文件中是 {found}。"
        ),
        fix=Text(
            "Build the model with the sizes that the checkpoint was trained with, or do not load {key} "
            "({found} in the file, {wanted} in the model).",
            "按权重文件训练时的尺寸构建模型，或不加载 {key}（文件中为 {found}，模型中为 {wanted}）。",
        ),
        matches=(
            (
                "AssertionError: Variable Shape not match, Variable [ fc_w_moment1_0 ] need tensor with "
                "shape (192, 13) but load set tensor with shape (192, 37)"
            ),
        ),
    ),
    Signature(
        id="variable-shape-cut",
        pattern=r"Variable Shape not match(?!, Variable \[)",
        role=Role.ROOT,
        cause="checkpoint-shape-mismatch",
        says=Text(
            "A tensor of the checkpoint does not have the shape that the model needs.",
            "权重文件中某个张量的形状与模型不一致。",
        ),
        matches=("AssertionError: Variable Shape not match",),
        misses=(
            (
                "AssertionError: Variable Shape not match, Variable [ a ] need tensor with shape (1,) but "
                "load set tensor with shape (2,)"
            ),
        ),
    ),
    Signature(
        id="shape-refused",
        pattern=r"size mismatch for \S{1,200}"
        r"|[Ss]hape (?:not match|of .{1,160} (?:is )?not match|mismatch)"
        r"|is unmatched .{0,80}will not be loaded|shape of model params .{0,120}not matched"
        r"|Variable dtype not match",
        role=Role.CONFIRMATION,
        cause="checkpoint-shape-mismatch",
        certainty=Certainty.POSSIBLE,
        says=Text(
            "A tensor of the checkpoint does not have the shape that the model needs.",
            "权重文件中某个张量的形状与模型不一致。",
        ),
        matches=("The shape of model params fc.w [512, 10] not matched with loaded params [512, 1000]",),
    ),
    Signature(
        id="shape-refused-loudly",
        pattern=r"^(?:\w{1,60}Error: )?.{0,40}(?:size mismatch for \S{1,200}"
        r"|The shape of (?:the )?\S{1,200} .{0,60}(?:does not match|not equal|not "
        r"match).{0,60}(?:checkpoint|pretrain|load))",
        role=Role.ROOT,
        cause="checkpoint-shape-mismatch",
        certainty=Certainty.LIKELY,
        says=Text(
            "A tensor of the checkpoint does not have the shape that the model needs.",
            "权重文件中某个张量的形状与模型不一致。",
        ),
        matches=("RuntimeError: size mismatch for fc.weight: copying a param with shape torch.Size([1000, 512])",),
    ),
    Signature(
        id="shape-skipped",
        pattern=r"Skip loading for (?P<key>\S{1,200})\. \S{1,200} receives a shape (?P<found>\[.{0,60}?\]), "
        r"but the expected shape is (?P<wanted>\[.{0,60}?\])",
        role=Role.CONFIRMATION,
        cause="checkpoint-shape-mismatch",
        certainty=Certainty.POSSIBLE,
        says=Text(
            "{key} has the shape {found} in the checkpoint and {wanted} in the model; it keeps its random values.",
            "{key} 在权重文件中的形状是 {found}，在模型中是 {wanted}；它保持随机初始值。",
        ),
        matches=("Skip loading for fc.w. fc.w receives a shape [512, 1000], but the expected shape is [512, 10].",),
    ),
    Signature(
        id="keys-skipped",
        pattern=r"Skip loading for (?P<key>\S{1,200})\. \S{1,200} is not found in the provided dict",
        role=Role.CONFIRMATION,
        cause="checkpoint-key-mismatch",
        certainty=Certainty.POSSIBLE,
        says=Text(
            "The model's {key} is not in the checkpoint and keeps its random values.",
            "模型的 {key} 不在权重文件中，保持随机初始值。",
        ),
        matches=("UserWarning: Skip loading for fc.weight. fc.weight is not found in the provided dict.",),
    ),
)
