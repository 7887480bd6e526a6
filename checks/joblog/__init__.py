"""Checks of the logs of a job."""
