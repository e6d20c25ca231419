"""One rule that a plan must keep, one file."""
