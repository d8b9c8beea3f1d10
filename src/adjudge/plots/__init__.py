"""Figures of results: what is drawn, as plain data that :mod:`adjudge.render` draws."""
