"""The candidate pool: what could be in the itinerary, frozen into a snapshot before the agent starts."""
