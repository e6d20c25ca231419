"""Reads a request that is said in a sentence, by rules."""
