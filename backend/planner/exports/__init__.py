"""A plan in the forms that other programs read: calendar, map, Markdown."""
