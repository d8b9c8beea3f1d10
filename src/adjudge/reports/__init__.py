"""Results as words and as one self-contained page."""
