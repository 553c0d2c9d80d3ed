"""Entry point of the command `gameforge` and of `python -m gameforge`, which Ctrl-C ends from its first import on.

Before that, while Python itself starts, Ctrl-C ends it in Python's own words.
"""

import os


def main() -> None:
    """Run the command line; after Ctrl-C while it is still being imported, or ends, exit as its commands do."""
    try:
        import signal

        handled = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # a shell may have it ignored
        if handled:
            signal.signal(signal.SIGINT, lambda number, frame: _end())
        from gameforge.cli.main import main as command_line

        if handled:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        command_line()
    except KeyboardInterrupt:
        _end()


def _end() -> None:
    """End the process at once. There is nothing to tidy up, and an import can turn KeyboardInterrupt into an error."""
    os.write(2, b"interrupted\n")
    os._exit(130)


if __name__ == "__main__":
    main()
