"""What happened in many runs: figures, findings, trials of other settings."""
