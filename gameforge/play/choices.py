"""Types of the arguments that name a component: its name with parameters, its settings, or the object itself."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from gameforge.config import Spec
from gameforge.interfaces.book import Book
from gameforge.interfaces.evaluator import BatchEvaluator, Evaluator
from gameforge.interfaces.features import FeatureMap
from gameforge.interfaces.learner import Learner
from gameforge.interfaces.oracle import Oracle
from gameforge.interfaces.rules import Rules
from gameforge.interfaces.searcher import Searcher
from gameforge.play.book import NamedBook
from gameforge.play.game import Game
from gameforge.play.oracle_handle import OracleHandle

Parameter = bool | int | float | str | Path | Sequence[object] | Mapping[str, object] | None
"""A parameter of a component, as TOML has it; None leaves it at its default."""

Described = str | Spec | Mapping[str, object]
"""A component by name, `"minimax:depth=5"`, or by its settings, `{"use": "minimax", "depth": 5}`; or "none"."""

RulesChoice = Described | Rules | Game
SearcherChoice = Described | Searcher
EvaluatorChoice = Described | Evaluator | BatchEvaluator
FeaturesChoice = Described | FeatureMap
LearnerChoice = Described | Learner
OracleChoice = Described | Oracle | OracleHandle | Book | NamedBook
"""An oracle or an opening book; a pipeline keeps both in one list."""
OraclesChoice = OracleChoice | Sequence[OracleChoice]
"""One oracle or book, or several; oracles are consulted in this order."""
