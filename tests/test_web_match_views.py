"""Matches and tournaments as the page shows them: distinct games, and warnings of repeated ones."""

from pathlib import Path
from typing import Any

import pytest

from gameforge.arena.result import MatchResult
from gameforge.discovery.registry import default_registry
from gameforge.interfaces.games import GameRecord
from gameforge.interfaces.rules import Outcome
from gameforge.web import folders
from gameforge.web.matches import match_view, tournament_view


def records(first: str, second: str, games: int, distinct: int) -> tuple[GameRecord, ...]:
    """Drawn games, of which some are distinct."""
    players = (first, second)
    return tuple(
        GameRecord(number=n, start=(0,), moves=(n % distinct,), outcome=Outcome(None, "x"), players=players)
        for n in range(1, games + 1)
    )


def test_a_match_warns_if_fewer_than_half_of_its_games_are_distinct() -> None:
    assert match_view(MatchResult(("a", "b"), ()))["warnings"] == []
    assert match_view(MatchResult(("a", "b"), records("a", "b", 8, 4)))["warnings"] == []
    view = match_view(MatchResult(("a", "b"), records("a", "b", 8, 3)))
    assert view["result"]["distinct"] == 3
    (warning,) = view["warnings"]
    assert warning.startswith("only 3 of 8 games between a and b are distinct; ")


def test_a_tournament_counts_the_distinct_games_of_each_match_and_warns_by_match() -> None:
    matches = [
        MatchResult((first, second), records(first, second, 8, distinct))
        for first, second, distinct in (("a", "b", 8), ("a", "c", 2), ("b", "c", 4))
    ]
    view = tournament_view(matches)
    assert (view["games"], view["distinct"]) == (24, 14)
    (warning,) = view["warnings"]
    assert warning.startswith("only 2 of 8 games between a and c are distinct; ")


def test_a_tournament_without_games() -> None:
    assert tournament_view([]) == {"rows": [], "games": 0, "distinct": 0, "warnings": []}


def test_the_list_of_runs_says_when_it_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "run.json").write_text("damaged")
    monkeypatch.setattr(folders, "_MOST_FOLDERS", 2)
    listed: Any = folders._listed(tmp_path, default_registry())
    assert len(listed["damaged"]) == 2
    assert listed["left_out"] == 1
