"""Checks of a checkpoint."""
