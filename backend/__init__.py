"""Waypool: narrows a travel catalogue in code, before and around the model."""

__version__ = "0.1.0"
