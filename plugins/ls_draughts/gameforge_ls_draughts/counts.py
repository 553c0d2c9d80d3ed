"""Counts of trials: loop draws in trainings from new weights, and tallies of stored matches.

Loops are counted by rule, by pieces on the board, and in won endings.
"""

import re
from collections import Counter
from collections.abc import Iterable

import attrs

from gameforge import Game, MatchResult, OracleHandle, Pipeline, Position
from gameforge.experiments import Matches, Numbers, Tally, Trial
from gameforge.interfaces import GameRecord

FEW = (4, 6, 8)
"""Numbers of pieces, as covered by databases, up to which loops are counted separately."""
_APART = 1_000_000
"""Distance between the seeds of a trial's trainings: larger than any number of trials."""
_SQUARE = re.compile(r"\d+")


@attrs.define
class Count:
    """Counts of the training games of one training."""

    game: Game
    oracle: OracleHandle
    """Oracle that knows whether an ending was won."""
    games: int = 0
    draws: int = 0
    plies: int = 0
    loops: int = 0
    by_pieces: dict[str, int] = attrs.field(factory=lambda: dict.fromkeys([*map(str, FEW), "more"], 0))
    """Loop draws by the number of pieces on the board at the end: at most 4, at most 6, ..., more."""
    spoilt: int = 0
    """Loop draws whose last position is won for a side, according to the oracle."""
    by_reason: Counter[str] = attrs.field(factory=Counter)
    by_session: Counter[int] = attrs.field(factory=Counter)
    seen: set[int] = attrs.field(factory=set)
    """Hashes of the games' moves."""

    def add(self, record: GameRecord) -> None:
        if record.phase != "training":
            return
        self.games += 1
        self.plies += len(record.codes)
        self.draws += record.outcome.winner is None
        self.seen.add(hash(record.codes))
        if record.outcome.loop:
            self.loops += 1
            self.by_reason[record.outcome.reason] += 1
            self.by_session[record.session] += 1
            state = record.start
            for move in record.codes:
                state = self.game.play(state, move)
            pieces = len(_SQUARE.findall(self.game.position_text(state)))  # a FEN names the square of each
            self.by_pieces[next((str(few) for few in FEW if pieces <= few), "more")] += 1
            known = self.oracle.get(Position(self.game, state))
            self.spoilt += known is not None and known.value != "draw"

    def numbers(self, sessions: int) -> Numbers:
        """The counts, as values for JSON."""
        return {
            "games": self.games,
            "draws": self.draws,
            "loops": self.loops,
            "by_pieces": dict(self.by_pieces),
            "spoilt": self.spoilt,
            "by_reason": dict(sorted(self.by_reason.items())),
            "by_session": [self.by_session[i] for i in range(1, sessions + 1)],
            "plies": self.plies / self.games,
            "distinct": len(self.seen),
        }


def seed_of(trial: Trial, repeat: int) -> int:
    """The seed of a trial's training; `repeat` counts from 0, and the first training has the trial's own seed."""
    return trial.seed + repeat * _APART


def counted(trial: Trial, pipeline: Pipeline, repeats: int, oracle: OracleHandle) -> list[Numbers]:
    """Train `repeats` times from different weights, and count loops. The oracle knows which endings were won."""
    found: list[Numbers] = []
    for repeat in range(repeats):
        count = Count(pipeline.game, oracle)
        training = trial.train(pipeline.with_seed(seed_of(trial, repeat)), count.add)
        summary = training.trained.summary
        lookups = {name: summary[name] for name in ("probes", "hits") if name in summary}
        found.append({**count.numbers(len(training.sessions)), **lookups, "clones": summary["clones"]})
    return found


def match_numbers(match: MatchResult) -> Numbers:
    """The figures of a match, without its times, which differ from run to run."""
    return match.numbers | {"seconds_per_move": None}


_COUNTS = ("wins", "draws", "losses", "loops", "distinct", "distinct_pairs")


def match_tally(match: Numbers) -> Tally:
    return Tally(pairs=tuple(match["pentanomial"]), **{key: match[key] for key in _COUNTS})


def matches(played: Iterable[Numbers]) -> Matches:
    """The matches of a pairing, seed by seed."""
    return Matches(map(match_tally, played))
