"""The turn loop, the language model's client and the built-in planner."""
