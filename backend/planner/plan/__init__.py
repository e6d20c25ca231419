"""What was decided (draft, locks) and what follows from it (itinerary)."""
