"""What a traveller's app calls."""
