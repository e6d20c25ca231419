"""One tool, one file."""
