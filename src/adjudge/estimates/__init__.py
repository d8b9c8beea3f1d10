"""A number and how sure we are of it."""
