"""Itinerary, timeline and constraints: values in, values out, no database."""
