"""A run's life: lifecycle, queue, run log, event feed."""
