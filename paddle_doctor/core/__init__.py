"""The plain vocabulary that subjects, checks, reports and commands share."""
