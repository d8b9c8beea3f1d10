"""Measures: named functions from counts to one number, each with its formula, range and direction.

The public table of them is :func:`adjudge.measures`; a package of that name would shadow it.
"""
