"""Entry point of the command `gameforge` and of `python -m gameforge`, which Ctrl-C ends from the first import on."""

import sys


def main() -> None:
    """Run the command line; after Ctrl-C while it is still being imported, or ends, exit as its commands do."""
    try:
        from gameforge.cli.main import main as command_line

        command_line()
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    main()
