"""Which column plays which part: from values first, names second; doubt is refused with the arguments to pass."""
