"""Count the votes of the members."""

from collections.abc import Sequence

import attrs


@attrs.frozen(kw_only=True)
class Ballot:
    """The answer of one member: its move and what it found."""

    move: int
    score: float
    """For the side to move."""
    nodes: int = 0
    line: tuple[int, ...] = ()
    depth: int = 0


@attrs.frozen
class Choice:
    """A move with at least one vote."""

    move: int
    votes: int
    score: float
    """Mean score of its voters, for the side to move."""


def most_votes(ballots: Sequence[Ballot]) -> list[Choice]:
    """The moves with votes, most votes first; ties go to the higher mean score, then to the earlier member's move."""
    scores: dict[int, list[float]] = {}
    for ballot in ballots:
        scores.setdefault(ballot.move, []).append(ballot.score)
    choices = [Choice(move, len(found), sum(found) / len(found)) for move, found in scores.items()]
    return sorted(choices, key=lambda choice: (-choice.votes, -choice.score))


def elected(choice: Choice, ballots: Sequence[Ballot]) -> Ballot:
    """The ballot of the first member that voted for a choice."""
    return next(ballot for ballot in ballots if ballot.move == choice.move)
