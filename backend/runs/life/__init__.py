"""A run's life: started, queued, cancelled, ended, counted, deleted."""
