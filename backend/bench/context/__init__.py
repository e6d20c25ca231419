"""What six questions to third-party sources and one trip cost in a model's context."""
