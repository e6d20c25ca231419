"""What an operator sees of the processes: logs and traces, never with a request's or result's content."""
