"""Ways to bring a catalogue in; each checks everything before it writes anything."""
