"""What runs survive and what they cost: the scenarios of `waypool bench runs`."""
