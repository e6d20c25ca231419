"""Types of places that the rules know by name."""

FOOD_TYPES = frozenset({"restaurant", "food_street", "teahouse"})
"""Where one goes to eat or drink, and not to see something."""
