"""The folder of the probe, which the job's own interpreter runs as a file; nothing of it is imported here."""
