"""Builds the web application."""
