"""Finds columns of a table that hold no information of their own, and what cutting the file would lose."""
