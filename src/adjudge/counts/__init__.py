"""The only place where big becomes small: predictions in, tables that add up out."""
