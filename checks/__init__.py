"""The doctor's opinions: one check, one file, one page; a folder for each subject. Installed as paddle_doctor.checks."""
