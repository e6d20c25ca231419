"""What would make an impossible request possible, proved by planning it."""
