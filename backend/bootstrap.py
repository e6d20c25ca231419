"""Builds the long-lived objects once: settings, engine, and what hangs on them."""
