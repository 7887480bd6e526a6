"""The command line: one module per command, each of them thin: gather, examine, render."""
