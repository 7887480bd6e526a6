"""One report, told in several forms; no facts or opinions of their own."""
