"""What an admin calls."""
