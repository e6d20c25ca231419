"""The tools that a model can call. They read the snapshot and the draft, stored results and sources."""
