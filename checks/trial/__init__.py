"""Checks of the re-runs of a job."""
