"""What a component of each kind must offer, and the data types that components exchange; one file for each kind."""

from typing import TYPE_CHECKING

from gameforge.public import on_first_use

if TYPE_CHECKING:
    from gameforge.config.settings import Spec, flat, merge, parse_spec, spec_from_settings
    from gameforge.config.toml import dump_toml, parse_value
    from gameforge.config.validation import (
        Validator,
        above,
        at_least,
        between,
        count,
        count_or_off,
        even,
        joined,
        not_negative,
        number,
        positive,
        share,
        whole,
        within,
    )
    from gameforge.errors import NotCovered, near
    from gameforge.interfaces.board import KING, Board, Cells, PatternSet, Piece
    from gameforge.interfaces.capabilities import Defaults, Dialect, Drawing, GameFiles, capability
    from gameforge.interfaces.evaluator import (
        EXPECTED_RESULT,
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
        PlansGames,
        Progress,
        Site,
        Trained,
        TrainingTask,
        Work,
    )
    from gameforge.interfaces.moves import MoveIndices
    from gameforge.interfaces.oracle import (
        Announce,
        Book,
        BookLines,
        Gate,
        Oracle,
        OracleFunctions,
        Verdict,
        composed,
        silent,
    )
    from gameforge.interfaces.rules import (
        DRAW,
        LOSS,
        RUNNING,
        UNFINISHED,
        WIN,
        DrawRules,
        Outcome,
        Rules,
        RulesFunctions,
        State,
        outcome_of,
    )
    from gameforge.interfaces.searcher import MAX_LINE, STATISTICS, Searcher, SearcherFunctions

__all__ = ["Spec", "flat", "merge", "parse_spec", "spec_from_settings"]
__all__ += ["dump_toml", "parse_value"]
__all__ += ["Validator", "above", "at_least", "between", "count", "count_or_off", "even", "joined", "not_negative"]
__all__ += ["number", "positive", "share", "whole", "within"]
__all__ += ["NotCovered", "near"]
__all__ += ["KING", "Board", "Cells", "PatternSet", "Piece"]
__all__ += ["Defaults", "Dialect", "Drawing", "GameFiles", "capability"]
__all__ += ["EXPECTED_RESULT", "HEURISTIC_LIMIT", "ORACLE_WIN", "PLY", "PROVEN_WIN", "WON", "EvaluatorFunctions"]
__all__ += ["NetFunctions", "PieceOdds", "SteppedWeight", "Unit", "WeightGroup", "WeightVector"]
__all__ += ["FeatureFunctions", "Selectable"]
__all__ += ["Annotations", "GameBoards", "GameRecord", "Opening", "Variation"]
__all__ += ["Illustration", "LearnerState", "Panel", "PlansGames", "Progress", "Site", "Trained", "TrainingTask"]
__all__ += ["Work"]
__all__ += ["Announce", "Book", "BookLines", "Gate", "Oracle", "OracleFunctions", "Verdict", "composed", "silent"]
__all__ += ["DRAW", "LOSS", "RUNNING", "UNFINISHED", "WIN", "DrawRules", "Outcome", "Rules", "RulesFunctions"]
__all__ += ["State", "outcome_of"]
__all__ += ["MAX_LINE", "STATISTICS", "Searcher", "SearcherFunctions"]
__all__ = [
    "Annotations",
    "Announce",
    "Board",
    "Book",
    "BookLines",
    "Cells",
    "DRAW",
    "Defaults",
    "Dialect",
    "DrawRules",
    "Drawing",
    "EXPECTED_RESULT",
    "EvaluatorFunctions",
    "FeatureFunctions",
    "GameBoards",
    "GameFiles",
    "GameRecord",
    "Gate",
    "HEURISTIC_LIMIT",
    "Illustration",
    "KING",
    "LOSS",
    "LearnerState",
    "MAX_LINE",
    "MoveIndices",
    "NetFunctions",
    "NotCovered",
    "ORACLE_WIN",
    "Opening",
    "Oracle",
    "OracleFunctions",
    "Outcome",
    "PLY",
    "PROVEN_WIN",
    "Panel",
    "PatternSet",
    "Piece",
    "PieceOdds",
    "PlansGames",
    "Progress",
    "RUNNING",
    "Rules",
    "RulesFunctions",
    "STATISTICS",
    "Searcher",
    "SearcherFunctions",
    "Selectable",
    "Site",
    "Spec",
    "State",
    "SteppedWeight",
    "Trained",
    "TrainingTask",
    "UNFINISHED",
    "Unit",
    "Validator",
    "Variation",
    "Verdict",
    "WIN",
    "WON",
    "WeightGroup",
    "WeightVector",
    "Work",
    "above",
    "at_least",
    "between",
    "capability",
    "composed",
    "count",
    "count_or_off",
    "dump_toml",
    "even",
    "flat",
    "joined",
    "merge",
    "near",
    "not_negative",
    "number",
    "outcome_of",
    "parse_spec",
    "parse_value",
    "positive",
    "share",
    "silent",
    "spec_from_settings",
    "whole",
    "within",
]

if not TYPE_CHECKING:  # or mypy would believe that the module has any attribute
    __getattr__, __dir__ = on_first_use(__name__)
