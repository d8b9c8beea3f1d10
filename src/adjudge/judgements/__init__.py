"""What follows from the estimates: verdicts, and findings a reader should know of."""
