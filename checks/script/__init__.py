"""Checks of a script."""
