"""What a developer calls."""
