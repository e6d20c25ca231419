"""Waypool: narrows a travel catalogue in code, before and around the model."""
