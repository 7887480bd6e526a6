"""Checks of the machine, its shell and its processes."""
