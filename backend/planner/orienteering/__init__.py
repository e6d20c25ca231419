"""The solver: team orienteering with time windows, apart from any travel data."""
