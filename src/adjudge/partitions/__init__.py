"""The standardised partition space: how a rule divides its cases among the classes, and how well it knows what it does."""
