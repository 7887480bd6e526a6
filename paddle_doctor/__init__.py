"""Why did the PaddlePaddle job die: the cause, the evidence, the fix."""

__version__ = "0.1.0"
