"""The constraints that every plan is checked against, by subject; one row each."""
