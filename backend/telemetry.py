"""Logging: one line an event on standard error, never with a request's or result's content."""
