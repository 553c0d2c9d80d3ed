"""How the command line names a parameter of the library."""


def as_option(parameter: str) -> str:
    """Return the option for a parameter: `--match-games` for `match_games`."""
    return f"--{parameter.replace('_', '-')}"
