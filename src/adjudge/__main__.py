"""Run the command line with ``python -m adjudge``."""

from adjudge.cli import main

main(prog_name="adjudge")
