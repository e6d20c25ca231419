"""Pages for a browser: ask, watch, look at runs, tune. They work without JavaScript."""
