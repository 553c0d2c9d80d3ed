"""Examples: states with what a search, or the end of the game, said of them. Learners read them from folders."""

from gameforge_examples.filtering import Filter, filter_examples
from gameforge_examples.folder import ExampleFolder, read_examples, write_examples
from gameforge_examples.from_files import read_games_into
from gameforge_examples.making import Plan, make_examples
from gameforge_examples.rows import Examples
from gameforge_examples.statistics import Statistics, example_statistics

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
