"""Entry point of `python -m gameforge`."""

from gameforge.cli.main import main

main()
