"""Measures: named functions from counts to one number; a package `measures` would shadow :func:`adjudge.measures`."""
