"""Documents as text, pages, notebook cells and Markdown."""
