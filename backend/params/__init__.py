"""System parameters: what an admin tunes, as rows with type, bounds and description."""
