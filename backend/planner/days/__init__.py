"""A trip's days in time: legs, hours, meals, ways, and the schedule of each day."""
