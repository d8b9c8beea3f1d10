"""Which is better: from two or many sets of predictions, or learners, to the verdict."""
