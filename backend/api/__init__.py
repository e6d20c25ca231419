"""The HTTP interface; it renders, the rooms below decide."""
