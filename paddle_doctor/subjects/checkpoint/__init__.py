"""The subject `checkpoint`: what a weights file holds, told without loading it."""

from paddle_doctor.subjects.checkpoint.gather import gather_checkpoint
from paddle_doctor.subjects.checkpoint.model import Branch, Break, Call, Checkpoint, Damage, Format, Tensor

__all__ = ["Branch", "Break", "Call", "Checkpoint", "Damage", "Format", "Tensor", "gather_checkpoint"]
