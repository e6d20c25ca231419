"""The guide: one Markdown file a topic in `en` and `zh`, and the code that reads and searches them."""
