"""Examples: states with what a search, or the end of the game, said of them. Learners read them from folders."""

from gameforge.examples.filtering import Filter, filter_examples
from gameforge.examples.folder import ExampleFolder, read_examples, write_examples
from gameforge.examples.from_files import read_games_into
from gameforge.examples.making import Plan, make_examples
from gameforge.examples.rows import Examples
from gameforge.examples.statistics import Statistics, example_statistics

__all__ = [
    "ExampleFolder",
    "Examples",
    "Filter",
    "Plan",
    "Statistics",
    "example_statistics",
    "filter_examples",
    "make_examples",
    "read_examples",
    "read_games_into",
    "write_examples",
]
