"""Matches and tournaments as the page shows them: distinct games, and warnings of repeated ones."""

import json
from pathlib import Path
from typing import Any

import pytest

from gameforge.arena.match_folder import FolderGames, Shortened, stored_record
from gameforge.arena.result import MatchResult
from gameforge.discovery.registry import default_registry
from gameforge.errors import GameforgeError
from gameforge.interfaces.games import GameRecord
from gameforge.interfaces.rules import Outcome
from gameforge.web import folders
from gameforge.web.matches import Course, match_view, tournament_view


def records(first: str, second: str, games: int, distinct: int) -> tuple[GameRecord, ...]:
    """Drawn games, of which some are distinct."""
    players = (first, second)
    return tuple(
        GameRecord(number=n, start=(0,), moves=(n % distinct,), outcome=Outcome(None, "x"), players=players)
        for n in range(1, games + 1)
    )


def view_of(games: tuple[GameRecord, ...]) -> Any:
    return match_view(MatchResult(("a", "b"), games), Course(games))


def test_a_match_that_is_followed_keeps_no_games(tmp_path: Path) -> None:
    games = tuple(
        GameRecord(
            number=n, start=(0,), moves=(n,), outcome=Outcome(n % 2, "x"), players=("a", "b"), note="late" * (n > 2)
        )
        for n in range(1, 5)
    )
    lines = [json.dumps(stored_record(game)) + "\n" for game in games]
    file = tmp_path / "games.jsonl"
    followed = FolderGames(tmp_path, None)
    assert list(followed.look()) == []
    file.write_text("".join(lines[:3]) + lines[3][:9])
    assert [game.number for game in followed.look()] == [1, 2, 3]
    file.write_text("".join(lines))
    assert [game.number for game in followed.look()] == [4]
    assert list(followed.look()) == []
    assert list(followed) == list(games)
    file.write_text("".join(lines[:2]))
    with pytest.raises(Shortened):
        list(followed.look())
    file.write_text("{\n")
    with pytest.raises(GameforgeError, match="is damaged"):
        list(FolderGames(tmp_path, None).look())


def test_the_course_of_a_match() -> None:
    won = [
        GameRecord(number=n, start=(0,), moves=(n,), outcome=Outcome(0, "x"), players=("ab"[1 - n % 2], "ab"[n % 2]))
        for n in range(1, 5)
    ]
    assert view_of(tuple(won))["course"] == [(2, 0.5), (4, 0.5)]
    assert view_of(tuple(won[:3]))["course"] == [(2, 0.5)]
    late = GameRecord(number=5, start=(0,), moves=(), outcome=Outcome(0, "x"), players=("a", "b"), note="late")
    assert view_of((*won, late))["crashes"] == ["b crashed in game 5: late"]
    many = Course(won * 1000)
    assert len(many.points) <= 700
    assert many.last == won[-1]


def test_a_match_warns_if_fewer_than_half_of_its_games_are_distinct() -> None:
    assert view_of(())["warnings"] == []
    assert view_of(records("a", "b", 8, 4))["warnings"] == []
    view = view_of(records("a", "b", 8, 3))
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
