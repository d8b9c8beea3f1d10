"""What adjudge does, one module a verb; each is a straight line from what is given to a result."""
