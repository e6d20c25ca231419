"""Stored large results: a handle with a summary for the model, the content for its questions."""
