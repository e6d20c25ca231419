"""Third-party data over HTTP: a row of the database holds the address, arguments and projection."""
