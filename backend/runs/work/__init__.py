"""What a worker does with a run, from pool to result."""
