"""Runs as files: exported whole, verified byte for byte, compared, and run again with one thing changed."""
