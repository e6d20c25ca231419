"""What the model may do: it sees the snapshot and the draft, nothing else."""
