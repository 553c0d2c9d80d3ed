"""How votes are counted."""

from collections.abc import Sequence

import attrs


@attrs.frozen(kw_only=True)
class Ballot:
    """What one member would play, and what it found."""

    move: int
    score: float
    """For the side to move."""
    nodes: int = 0
    line: tuple[int, ...] = ()
    depth: int = 0


@attrs.frozen
class Choice:
    """A move that was voted for."""

    move: int
    votes: int
    score: float
    """Mean of what its voters found."""


def most_votes(ballots: Sequence[Ballot]) -> list[Choice]:
    """The moves that were voted for: most votes first; of equals the one with the higher mean score, then the one that
    the earlier member chose."""
    scores: dict[int, list[float]] = {}
    for ballot in ballots:
        scores.setdefault(ballot.move, []).append(ballot.score)
    choices = [Choice(move, len(found), sum(found) / len(found)) for move, found in scores.items()]
    return sorted(choices, key=lambda choice: (-choice.votes, -choice.score))


def elected(choice: Choice, ballots: Sequence[Ballot]) -> Ballot:
    """The ballot of the first member who voted so."""
    return next(ballot for ballot in ballots if ballot.move == choice.move)
