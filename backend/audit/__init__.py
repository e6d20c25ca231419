"""Who changed what, when and why: an append-only trail that the database itself keeps from being edited."""
