"""Corrections of a finished classifier: other thresholds, priors and costs, without fitting it again."""
