"""Who said what: files, frames and arrays, read in blocks with every column's role known."""
