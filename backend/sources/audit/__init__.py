"""What a table's columns are worth: which say nothing, which say it again, and what a cut loses."""
