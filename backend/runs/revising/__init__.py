"""A finished plan is changed by a new run, or checked against today's catalogue."""
