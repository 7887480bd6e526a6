"""The doctor's opinions: one check, one file, one page; a folder per subject. Installed as paddle_doctor.checks."""
