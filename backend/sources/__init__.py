"""Third-party data over HTTP: a row tells the address, the arguments and the projection."""
