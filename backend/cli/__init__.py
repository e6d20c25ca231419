"""The command waypool, one file per group of commands."""
