"""What a component of each kind must offer, and the data types that components exchange; one file for each kind."""

from typing import TYPE_CHECKING

from gameforge.public import on_first_use

if TYPE_CHECKING:
    from gameforge import config
    from gameforge.config import kinds
    from gameforge.config.settings import Spec
    from gameforge.errors import NotCovered, near
    from gameforge.interfaces.board import Board, Cells, MoveIndices, PatternSet, Piece
    from gameforge.interfaces.capabilities import Defaults, Dialect, Drawing, GameFiles, capability
    from gameforge.interfaces.evaluator import (
        HEURISTIC_LIMIT,
        ORACLE_WIN,
        PLY,
        PROVEN_WIN,
        WON,
        EvaluatorFunctions,
        NetFunctions,
        PieceOdds,
        SteppedWeight,
        Unit,
        WeightGroup,
        WeightVector,
    )
    from gameforge.interfaces.features import FeatureFunctions, Selectable
    from gameforge.interfaces.games import Annotations, GameBoards, GameRecord, Opening, Variation
    from gameforge.interfaces.learner import (
        Illustration,
        LearnerState,
        Panel,
        Progress,
        Site,
        Trained,
        TrainingTask,
        Work,
    )
    from gameforge.interfaces.oracle import Announce, Book, BookLines, Gate, Oracle, OracleFunctions, Verdict, silent
    from gameforge.interfaces.rules import DRAW, LOSS, RUNNING, WIN, DrawRules, Outcome, Rules, RulesFunctions, State
    from gameforge.interfaces.searcher import Searcher, SearcherFunctions

__all__ = ["Annotations", "Announce", "Board", "Book", "BookLines", "Cells", "DRAW", "Defaults", "Dialect"]
__all__ += ["DrawRules", "Drawing", "EvaluatorFunctions", "FeatureFunctions", "GameBoards"]
__all__ += ["GameFiles", "GameRecord", "Gate", "HEURISTIC_LIMIT", "Illustration", "LOSS", "LearnerState"]
__all__ += ["MoveIndices", "NetFunctions", "NotCovered", "ORACLE_WIN", "Opening", "Oracle"]
__all__ += ["OracleFunctions", "Outcome", "PLY", "PROVEN_WIN", "Panel", "PatternSet", "Piece", "PieceOdds"]
__all__ += ["Progress", "RUNNING", "Rules", "RulesFunctions", "Searcher"]
__all__ += ["SearcherFunctions", "Selectable", "Site", "Spec", "State", "SteppedWeight", "Trained", "TrainingTask"]
__all__ += ["Unit", "Variation", "Verdict", "WIN", "WON", "WeightGroup", "WeightVector", "Work"]
__all__ += ["capability", "config", "kinds", "near", "silent"]

if not TYPE_CHECKING:  # or mypy would believe that the module has any attribute
    __getattr__, __dir__ = on_first_use(__name__)
