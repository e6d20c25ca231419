"""The run log and what is read from it: steps, events, stages, rows of runs."""
