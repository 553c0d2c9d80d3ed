"""A match keeps its games in a file: memory holds their counts, and they are read when somebody wants them."""

import gc
import json
import pickle
from collections.abc import Callable
from pathlib import Path

import attrs
import pytest
from test_match_folder import play, toy

import gameforge as gf
from gameforge.arena import match_folder
from gameforge.arena.match_folder import read_match
from gameforge.arena.played import MatchCounts, UnnamedGames
from gameforge.errors import GameforgeError
from gameforge.interfaces.games import GameRecord
from gameforge.interfaces.rules import Outcome
from gameforge.records import game_records
from gameforge.records.game_records import check_record, contradictions, game_writer

GAMES = 12


@pytest.fixture(scope="module")
def games() -> tuple[GameRecord, ...]:
    return tuple(play(None, GAMES).games)


def alive() -> int:
    """Return the number of games in memory."""
    gc.collect()
    return sum(type(one) is GameRecord for one in gc.get_objects())


@pytest.mark.parametrize("folder", [None, "m"])
def test_memory_does_not_hold_the_games(tmp_path: Path, folder: str | None) -> None:
    before = alive()
    result = play(tmp_path / folder if folder else None, GAMES)
    assert alive() <= before + 1
    assert len(result.games) == GAMES == sum(result.pentanomial) * 2


@pytest.mark.parametrize("limit", [1 << 20, 1])
def test_they_are_a_sequence(
    games: tuple[GameRecord, ...], tmp_path: Path, limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gameforge.arena.played._IN_MEMORY", limit)
    for found in (UnnamedGames(toy().game, games), play(tmp_path / "m", GAMES).games):
        assert found == games
        assert games == found
        assert found != games[:-1]
        assert found[-1] == games[-1]
        assert found[1::2] == games[1::2]
        assert [one.number for one in found] == [*range(1, GAMES + 1)]
        assert pickle.loads(pickle.dumps(found)) == games
        with pytest.raises(IndexError):
            found[GAMES]


def test_their_counts_are_those_of_the_games(games: tuple[GameRecord, ...]) -> None:
    assert (
        gf.MatchResult(("one", "other"), games).numbers
        == gf.MatchResult(("one", "other"), UnnamedGames(toy().game, games)).numbers
    )
    counts = MatchCounts.of(games)
    assert counts.games == GAMES
    assert counts.distinct.games == len({game.codes for game in games})


def test_losses_on_time_are_named(games: tuple[GameRecord, ...]) -> None:
    lost = [
        attrs.evolve(game, outcome=Outcome(i % 2, reason))
        for i, (game, reason) in enumerate(zip(games, ["crash", "time", "time"], strict=False))
    ]
    assert str(gf.MatchResult(("one", "other"), tuple(lost))).endswith("; other forfeited 3 (2 on time)")


def test_a_full_disk_is_a_sentence(games: tuple[GameRecord, ...]) -> None:
    kept = UnnamedGames(toy().game)

    def full(data: bytes) -> int:
        raise OSError(28, "No space left on device")

    kept._file.write = full  # type: ignore[method-assign, assignment]
    with pytest.raises(GameforgeError, match=r"cannot keep the games of the match in .*: No space left on device"):
        kept.add(games[0])


class TestResume:
    @pytest.fixture
    def slow(self, monkeypatch: pytest.MonkeyPatch) -> list[GameRecord]:
        """What Python replays, and writes as text: both take longer than to play such games."""
        seen: list[GameRecord] = []
        writer = game_writer

        def watched(game: gf.Game) -> Callable[[GameRecord], str]:
            text = writer(game)

            def write(record: GameRecord) -> str:
                seen.append(record)
                return text(record)

            return write

        monkeypatch.setattr(match_folder, "game_writer", watched)
        monkeypatch.setattr(game_records, "check_record", lambda game, record: seen.append(record))
        return seen

    def test_replays_in_the_kernel_and_keeps_the_texts(self, tmp_path: Path, slow: list[GameRecord]) -> None:
        play(tmp_path / "m", GAMES)
        del slow[:]
        result = play(tmp_path / "m", GAMES + 2)
        assert [record.number for record in slow] == [GAMES, GAMES + 1, GAMES + 2]  # the last old text is compared
        assert result == play(None, GAMES + 2)

    @pytest.mark.parametrize("end", [None, -1, 0, 1 << 64, 10**30])
    def test_writes_texts_anew_if_it_does_not_know_them(
        self, tmp_path: Path, slow: list[GameRecord], end: int | None
    ) -> None:
        play(tmp_path / "m", GAMES)
        texts, lines = tmp_path / "m" / "games.trace", tmp_path / "m" / "games.jsonl"
        whole = texts.read_bytes()
        entries = [json.loads(line) for line in lines.read_text().splitlines()]
        lines.write_text("".join(json.dumps({**entry, "text_end": end}) + "\n" for entry in entries))
        play(tmp_path / "m", GAMES)
        assert texts.read_bytes() == whole
        texts.write_bytes(whole[:-5])
        play(tmp_path / "m", GAMES)
        assert texts.read_bytes() == whole

    def test_games_of_a_folder_that_has_gone(self, tmp_path: Path) -> None:
        play(tmp_path / "m", 2)
        found = read_match(tmp_path / "m").games
        (tmp_path / "m" / "games.jsonl").unlink()
        with pytest.raises(GameforgeError, match=r"cannot read the games of the match in .*m: "):
            found[0]


def test_the_kernel_finds_what_check_record_finds(games: tuple[GameRecord, ...]) -> None:
    game, one = toy().game, games[0]
    moves = one.codes
    wrong = [
        attrs.evolve(one, moves=(*moves[:-1], 12345)),
        attrs.evolve(one, moves=(*moves, moves[-1])),
        attrs.evolve(one, moves=moves[:-1]),
        attrs.evolve(one, moves=(1 << 64,)),
        attrs.evolve(one, start=(1, 2, 3, 4, 5, 6, 7)),
        attrs.evolve(one, outcome=attrs.evolve(one.outcome, winner=None)),
    ]
    sound = list(games[1:4])
    found = dict(contradictions(game, [*wrong, *sound]))
    assert list(found) == [*range(len(wrong))]
    for i, record in enumerate(wrong):
        with pytest.raises(GameforgeError) as error:
            check_record(game, record)
        assert str(found[i]) == str(error.value)
    assert not list(contradictions(game, []))
