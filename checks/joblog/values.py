"""What failing jobs print about values: labels and indices out of range, NaN and Inf."""

from __future__ import annotations

from paddle_doctor.core.finding import Certainty
from paddle_doctor.core.language import Text
from paddle_doctor.core.signature import Role, Signature

_LABEL = Text("A label lies outside the classes of the model.", "标签超出了模型的类别范围。")
_INDEX = Text("An index lies outside the tensor or vocabulary that it points into.", "索引超出了所指张量或词表的范围。")
_NAN = Text("NaN or Inf appeared.", "计算中出现了 NaN 或 Inf。")

SIGNATURES = (
    Signature(
        id="label-expected",
        pattern=r"[Tt]he value of label(?:\s?\[.{0,24}\])? expected >= ?0 and <=? ?(?P<classes>\d{1,20})",
        role=Role.ROOT,
        cause="label-out-of-range",
        says=Text(
            "A label is not in the range that the loss allows (0 to below {classes}; some versions print "
            "wrong numbers).",
            "标签超出损失函数允许的范围（0 到 {classes} 之间，不含 {classes}；部分版本打印的数字不准）。",
        ),
        fix=Text(
            "Make the labels count from 0 and stay below the number of classes ({classes}), or set "
            "num_classes and ignore_index to fit the data.",
            "让标签从 0 开始并小于类别数（{classes}），或者按数据修改 num_classes 和 ignore_index。",
        ),
        matches=(
            (
                "Error: x.cu:481 Assertion `labels_[i] >= 0` failed. The value of label[9] expected >= 0 and "
                "< 5, or == 255,but got 5. Please check"
            ),
            (
                "cross_entropy_kernel.cu:998 Assertion `false` failed. The value of label expected >= 0 and "
                "< 2, or == -100, but got 7."
            ),
        ),
    ),
    Signature(
        id="label-assertion",
        pattern=r"(?:cross_entropy|nll_loss|margin)\w{0,40}\.(?:cu|h|cc)[:(]\d{1,6}.{0,200}Assertion"
        r"|Assertion .{0,4}(?:label|lbl|target)s?_?\W",
        role=Role.ROOT,
        cause="label-out-of-range",
        says=_LABEL,
        matches=(
            "/paddle/fluid/operators/math/cross_entropy.cu:40 Assertion `label[i] >= 0 && label[i] < D` failed",
            "softmax_with_cross_entropy_op.cu:536 Assertion `labels_[idx_lbl] >= 0 && labels_[idx_lbl] < d_",
            (
                "ClassNLLCriterion.cu:108: cunn_ClassNLLCriterion_updateOutput_kernel: Assertion `t >= 0 && "
                "t < n_classes` failed. nll_loss.cu:3 Assertion"
            ),
        ),
    ),
    Signature(
        id="index-assertion",
        pattern=r"(?:gather|scatter|embedding|lookup_table|index_s|one_hot|along_axis"
        r"|Indexing)\w{0,40}\.(?:cu\.h|cu|h|cc)[:(]\d{1,6}.{0,300}Assertion"
        r"|Assertion .{0,4}(?:index_value|srcIndex|ids?\[|index\[)",
        role=Role.ROOT,
        cause="label-out-of-range",
        says=_INDEX,
        matches=(
            (
                "Error: /paddle/paddle/phi/kernels/funcs/gather.cu.h:67 Assertion `index_value >= 0 && "
                "index_value < input_dims[j]` failed."
            ),
            "embedding_kernel.cu:60 Assertion `id < N` failed.",
            (
                "../aten/src/ATen/native/cuda/Indexing.cu:650: indexSelectSmallIndex: Assertion `srcIndex < "
                "srcSelectDimSize` failed."
            ),
        ),
    ),
    Signature(
        id="index-expected",
        pattern=r"Variable value \(\w{1,40}\) of OP\(.{1,80}\) expected >= ?0 and < ?(?P<size>\d{1,20}), "
        r"but got (?P<got>-?\d{1,20})",
        role=Role.ROOT,
        cause="label-out-of-range",
        says=Text("An id is {got}, but the vocabulary has {size} entries.", "某个 id 是 {got}，而词表只有 {size} 项。"),
        matches=(
            (
                "Variable value (input) of OP(fluid.layers.embedding) expected >= 0 and < 18000, but got "
                "30521. Please check input value."
            ),
        ),
    ),
    Signature(
        id="label-on-cpu",
        pattern=r"label value should less than the shape of axis dimension when label value\((?P<got>-?\d{1,20})\)",
        role=Role.ROOT,
        cause="label-out-of-range",
        says=Text(
            "A label is {got}, and the model has too few classes for it.", "某个标签是 {got}，模型的类别数不够。"
        ),
        matches=(
            (
                "IndexError: (OutOfRange) label value should less than the shape of axis dimension when label value(5) "
                "not equal to ignore_index(-100), But received label value as 5 and shape of axis dimension is 5"
            ),
        ),
    ),
    Signature(
        id="index-refused",
        pattern=r"Illegal index value|[Ll]abel value .{0,60}(?:out of|should (?:be|less)|exceed)"
        r"|Target -?\d{1,20} is out of (?:lower|upper )?bounds?"
        r"|index \(?-?\d{1,20}\)? .{0,20}out of range.{0,40}(?:embedding|label|class)",
        role=Role.ROOT,
        cause="label-out-of-range",
        certainty=Certainty.LIKELY,
        says=_INDEX,
        matches=(
            (
                "InvalidArgumentError: Illegal index value, Input(input) value should be at least 0, but "
                "received value is -1"
            ),
            "IndexError: Target 21 is out of bounds.",
            "ValueError: label value 12 should be in [0, 10)",
        ),
    ),
    Signature(
        id="nan-found",
        pattern=r"(?:[Ff]ind|[Ff]ound|[Cc]ontains?|[Dd]etected|[Tt]here (?:is|are)|has) (?:a )?(?:nan|NaN"
        r"|NAN|Nan|inf|Inf|INF)\b|\bnumerical error .{0,60}nan|rec(?:ie|ei)ved nan"
        r"|[Ll]oss (?:is|became|becomes) (?:nan|NaN|inf)",
        role=Role.ROOT,
        cause="nan-inf",
        says=_NAN,
        matches=(
            "PreconditionNotMetError: There are NAN or INF (num_nan=1, num_inf=0, num_zero=0) in [device=gpu:0, op=exp",
            "RuntimeError: Operator softmax output Tensor Out contains Inf.",
            (
                "Error: /paddle/operators/bce_loss_op.cu:38 Assertion `(x >= 0) && (x <= 1)` failed. Input "
                "is expected to be within the interval [0, 1], but recieved nan."
            ),
        ),
        misses=("found info file", "step 10 loss 1.23"),
    ),
    Signature(
        id="nan-loss",
        pattern=r"[Ll][Oo][Ss][Ss]\w{0,20}['\"]?\s?[:=]\s?['\"\[]{0,3}(?:nan|NaN)(?:xxx)?\b",
        role=Role.ROOT,
        cause="nan-inf",
        certainty=Certainty.LIKELY,
        says=Text("The loss became NaN.", "loss 变成了 NaN。"),
        matches=("epoch: 3, batch: 20, loss: nan, lr: 0.01", "train step 12 total_loss=[nan]"),
        misses=("loss: 0.3, name: nano",),
    ),
)
