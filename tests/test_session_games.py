"""Warnings of a training that repeats its games, or whose player has stopped winning."""

import json
from pathlib import Path

import attrs
import pytest

import gameforge as gf
from gameforge.interfaces.games import GameRecord
from gameforge.interfaces.hooks import hookimpl
from gameforge.interfaces.rules import Outcome
from gameforge.training.checkpoint import SessionGames, Warnings


def game(moves: int, winner: int | None = 0, phase: str = "training") -> GameRecord:
    return GameRecord(phase=phase, start=(0,), moves=(moves,), outcome=Outcome(winner, "reason"), learner=0)


def session(*games: GameRecord) -> SessionGames:
    found = SessionGames()
    for one in games:
        found.add(one)
    return found


def test_games_differ_by_opening_and_moves() -> None:
    found = session(*(game(i % 3) for i in range(9)), attrs.evolve(game(0), start=(1,)))
    assert found.figures() == {"distinct_games": 4}


def test_test_games_and_matches_do_not_count() -> None:
    assert session(game(0, phase="test"), game(1, phase="match")).figures() == {}


def test_a_session_that_repeats_itself_is_named_once() -> None:
    warnings = Warnings()
    found = session(*(game(i % 9) for i in range(20)))
    (text,) = warnings.about(3, found)
    assert text == (
        "warning: session 3: only 9 of 20 games are different, and one was played 3 times; "
        "random openings or exploration would vary them"
    )
    assert list(warnings.about(4, found)) == []


@pytest.mark.parametrize("different", [10, 20])
def test_half_of_the_games_is_enough(different: int) -> None:
    assert list(Warnings().about(1, session(*(game(i % different) for i in range(20))))) == []


@pytest.mark.parametrize(("wins", "draws", "warned"), [(0, 0, True), (1, 1, True), (0, 4, False), (2, 0, False)])
def test_a_player_that_loses_nearly_all_games_has_collapsed(wins: int, draws: int, warned: bool) -> None:
    winners = [0] * wins + [None] * draws + [1] * (20 - wins - draws)
    found = list(Warnings().about(5, session(*(game(i, winner) for i, winner in enumerate(winners)))))
    assert bool(found) == warned
    if warned:
        assert found[0].startswith(f"warning: session 5: the player in training won {wins} of 20 games; ")


def test_few_games_say_nothing() -> None:
    assert list(Warnings().about(1, session(*(game(0, 1) for _ in range(19))))) == []


class Listener:
    def __init__(self) -> None:
        self.notices: list[str] = []

    @hookimpl
    def gameforge_notice(self, text: str) -> None:
        self.notices.append(text)


def test_a_run_warns_and_counts(tmp_path: Path) -> None:
    """A net that learns next to nothing repeats its games; random openings vary them."""
    parts = {"game": "draughts", "searcher": "minimax:depth=1", "oracle": "none"}
    counted: dict[int, int] = {}
    for plies in (0, 4):
        listener = Listener()
        learner = f"td:sessions=1,games=30,rate1=1e-20,rate2=1e-20,opening_plies={plies}"
        out = tmp_path / str(plies)
        gf.Pipeline(learner=learner, **parts).run(out, yardstick=None, subscribers=[listener])
        counted[plies] = json.loads((out / "metrics.jsonl").read_text())["distinct_games"]
        assert bool(listener.notices) == (plies == 0)
    assert counted[0] <= 2
    assert counted[4] > 15
