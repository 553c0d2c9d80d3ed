"""Matches in a folder: everything is kept, and interrupted matches are resumed."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from toy_site import registry

import gameforge as gf
from gameforge.errors import GameforgeError
from gameforge.play.player import Player


def toy(name: str = "player", game: str = "shuttle", **parts: Any) -> Player:
    chosen = {"searcher": "greedy", "evaluator": "linear", "features": "lanes"} | parts
    return gf.player(game, registry=registry(), name=name, **chosen)


def files(folder: Path) -> dict[str, str]:
    """Read all files except the result, which contains times."""
    found = {path.name: path.read_text() for path in sorted(folder.iterdir()) if path.name.startswith("games.")}
    if "games.jsonl" in found:
        records = [
            json.loads(line) | {"seconds": None, "processor": None} for line in found["games.jsonl"].splitlines()
        ]
        found["games.jsonl"] = json.dumps(records)
    return found


def play(out: Path | None, games: int = 12, **options: Any) -> Any:
    return gf.match(toy("one", seed=1), toy("other", seed=2), games, openings=3, out=out, **{"seed": 5} | options)


class TestFolder:
    def test_holds_the_match(self, tmp_path: Path) -> None:
        found = play(tmp_path / "m")
        assert found == play(None)
        assert sorted(path.name for path in (tmp_path / "m").iterdir()) == ["games.jsonl", "games.trace", "match.json"]
        manifest = json.loads((tmp_path / "m" / "match.json").read_text())
        assert manifest["result"]["wins"] == found.wins
        assert manifest["result"]["pentanomial"] == list(found.pentanomial)
        texts = (tmp_path / "m" / "games.trace").read_text().splitlines()
        assert len(texts) == 12
        assert texts[0].startswith("match 1: one - other; start ")

    def test_games_of_draughts_are_pdn_that_replays(self, tmp_path: Path) -> None:
        player = gf.player("draughts", searcher="minimax:depth=1", evaluator="material")
        found = gf.match(player, player, 4, out=tmp_path / "m", openings="random:3")
        text = (tmp_path / "m" / "games.pdn").read_text()
        assert text.count("[Event ") == 4
        assert '[Opening "3 random plies"]' in text
        assert "[FEN" not in text
        assert all(game.opening_plies == 3 for game in found.games)

    @pytest.mark.parametrize("kept", [0, 1, 2, 5, 6, 11, 12])
    @pytest.mark.parametrize("torn", ["", '{"phase": "mat'])
    def test_goes_on_after_any_line(self, tmp_path: Path, kept: int, torn: str) -> None:
        whole, part = tmp_path / "whole", tmp_path / "part"
        found = play(whole)
        play(part)
        lines = (part / "games.jsonl").read_text().splitlines(keepends=True)
        (part / "games.jsonl").write_text("".join(lines[:kept]) + torn)
        (part / "games.trace").write_text("whatever\n")
        told: list[int] = []
        assert play(part, workers=2, game_finished=lambda game: told.append(game.number)) == found
        assert files(part) == files(whole)
        assert told == list(range(1, 13))

    def test_a_match_can_get_longer(self, tmp_path: Path) -> None:
        play(tmp_path / "m", 6)
        assert play(tmp_path / "m", 12) == play(None, 12)

    def test_two_processes_do_not_write_one_match(self, tmp_path: Path) -> None:
        """The second process is refused while the first plays, and the first finishes its match."""
        pytest.importorskip("fcntl")
        refused: list[str] = []

        def intrude(_: Any) -> None:
            before = files(tmp_path / "m")
            with pytest.raises(GameforgeError, match=r"process .*is writing there") as found:
                play(tmp_path / "m", 4)
            assert files(tmp_path / "m") == before
            refused.append(str(found.value))

        assert play(tmp_path / "m", 4, game_finished=intrude) == play(None, 4)
        assert len(refused) == 4
        assert play(tmp_path / "m", 6) == play(None, 6)

    def test_a_finished_sequential_test_plays_no_more_games(self, tmp_path: Path) -> None:
        """The stronger player wins until H1 is accepted; a second call plays no games."""
        weak = toy("weak", searcher="script:moves=[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]")
        options: dict[str, Any] = {"sprt": "0,100", "out": tmp_path / "m"}
        found = gf.match(toy("strong"), weak, 4000, **options)
        assert found.accepted is not None
        assert len(found.games) < 4000
        lines = (tmp_path / "m" / "games.jsonl").read_text()
        assert gf.match(toy("strong"), weak, 4000, **options) == found
        assert (tmp_path / "m" / "games.jsonl").read_text() == lines


KILLED = """
import time
import gameforge as gf
from toy_site import registry
parts = {"searcher": "greedy", "evaluator": "linear", "features": "lanes", "registry": registry()}
one, other = (gf.player("shuttle", name=name, seed=seed, **parts) for name, seed in (("one", 1), ("other", 2)))
wait = lambda game: time.sleep(600 if game.number == 21 else 0)
gf.match(one, other, 400, openings=3, seed=5, out=OUT, workers=2, game_finished=wait)
"""


@pytest.mark.skipif(os.name == "nt", reason="signals as on Unix")
def test_resumes_after_kill_9(tmp_path: Path) -> None:
    out = tmp_path / "m"
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED.replace("OUT", repr(str(out)))],
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parent)},
    )
    records = out / "games.jsonl"
    deadline = time.monotonic() + 600
    while not (records.exists() and records.read_bytes().count(b"\n") == 21):
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    assert "result" not in json.loads((out / "match.json").read_text())
    assert play(out, 400, workers=1) == play(tmp_path / "whole", 400)
    assert files(out) == files(tmp_path / "whole")


class TestErrors:
    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"seed": 6}, "holds another match: seed is 5 there and 6 here; choose another folder"),
            ({"sprt": "0,10"}, r"holds another match: sprt\.elo0 is not set there and 0\.0 here"),
            ({"games": 6}, "already holds 12 games of this match; 6 are too few"),
        ],
    )
    def test_another_match(self, tmp_path: Path, options: Any, message: str) -> None:
        play(tmp_path / "m")
        before = files(tmp_path / "m")
        with pytest.raises(GameforgeError, match=message):
            play(tmp_path / "m", **options)
        assert files(tmp_path / "m") == before

    def test_other_openings(self, tmp_path: Path) -> None:
        play(tmp_path / "m")
        with pytest.raises(GameforgeError, match="game 1 was played from another opening"):
            gf.match(toy("one", seed=1), toy("other", seed=2), 12, openings=2, out=tmp_path / "m", seed=5)

    def test_other_weights(self, tmp_path: Path) -> None:
        play(tmp_path / "m")
        with pytest.raises(
            GameforgeError, match=r'another match: players\.0\.weights is "\w{64}" there and "\w{64}" he'
        ):
            gf.match(toy("one", seed=3), toy("other", seed=2), 12, openings=3, out=tmp_path / "m", seed=5)

    def test_wrong_openings_leave_no_folder(self, tmp_path: Path) -> None:
        with pytest.raises(GameforgeError, match="no such set or file"):
            gf.match(toy(), toy(), 2, openings="3move", out=tmp_path / "m")
        assert not (tmp_path / "m").exists()

    def test_other_files(self, tmp_path: Path) -> None:
        (tmp_path / "notes.txt").write_text("mine")
        with pytest.raises(GameforgeError, match="already holds other files"):
            play(tmp_path)
        with pytest.raises(GameforgeError, match=r"notes.txt is a file; name a folder"):
            play(tmp_path / "notes.txt")
        assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]

    @pytest.mark.parametrize(
        ("name", "text", "message"),
        [
            ("match.json", "{", "match.json is damaged"),
            ("match.json", "[]", "match.json is not the manifest of a match"),
            ("games.jsonl", "{}\n", "games.jsonl, line 1 is damaged: start is missing: must be a list of integers"),
            ("games.jsonl", "3\n", "games.jsonl, line 1 is damaged: expected an object with keys, got int"),
        ],
    )
    def test_damage(self, tmp_path: Path, name: str, text: str, message: str) -> None:
        play(tmp_path / "m")
        (tmp_path / "m" / name).write_text(text)
        with pytest.raises(GameforgeError, match=message):
            play(tmp_path / "m")

    @pytest.mark.parametrize(
        ("changes", "reason"),
        [
            ({"outcome": {"winner": "other"}}, r"by the rules the game ended in a win of \w+ \(.*\), not in a win of"),
            ({"outcome": {"winner": None}}, r"by the rules the game ended in a win of \w+ \(.*\), not in a draw"),
            ({"outcome": {"winner": 7}}, "not in a win of side 7"),
            ({"outcome": {"winner": "x"}}, "outcome: winner = "),
            ({"outcome": {"reason": "crash"}}, r"by the rules the game ended in a win of .*, not in a win .*crash"),
            ({"outcome": {"loop": 1}}, "outcome: loop = 1: must be true or false"),
            ({"moves": lambda moves: moves[:-1]}, "by the rules the game is not finished"),
            ({"moves": lambda moves: [*moves, moves[-1]]}, r"the game was over before move \d+"),
            ({"moves": lambda moves: [*moves[:-1], 77]}, r"move \d+ \(code 77\) is not legal in "),
            ({"moves": lambda moves: [*moves[:-1], -1]}, r"move \d+ \(code -1\) is not legal in "),
            ({"moves": lambda moves: [*moves[:-1], 1 << 64]}, r"move \d+ \(code 18446744073709551616\) is not legal"),
            ({"moves": lambda moves: [*moves[:-1], "a"]}, "moves = "),
            ({"seconds": [1.0]}, r"seconds = \[1\.0\]: must be a list of 2"),
            ({"number": 5}, "it holds game 5"),
            ({"number": 10**400}, "it holds game 10{59}\\.\\.\\.$"),
            ({"moves": lambda moves: [77, *moves[1:]]}, r"move 1 \(code 77\) is not legal in "),
            ({"phase": "training"}, "it is not a game of a match"),
            ({"session": 10**9}, "it is not a game of a match"),
            ({"learner": 0}, "it is not a game of a match"),
            ({"searches": [1 << 63, 0]}, "it counts 9223372036854775808 games, plies or searches; must be from 0 to"),
            ({"note": "ValueError"}, "its note says that a player crashed, but the game ended by "),
        ],
        ids=lambda value: value if isinstance(value, str) else next(iter(value)),
    )
    def test_a_record_that_contradicts_the_rules(self, tmp_path: Path, changes: Any, reason: str) -> None:
        play(tmp_path / "m")
        path = tmp_path / "m" / "games.jsonl"
        lines = path.read_text().splitlines()
        number = next(i for i, line in enumerate(lines) if json.loads(line)["outcome"]["winner"] is not None)
        record = json.loads(lines[number])
        for key, change in changes.items():
            if key == "outcome":
                change = record["outcome"] | {
                    name: 1 - record["outcome"]["winner"] if value == "other" else value
                    for name, value in change.items()
                }
            record[key] = change(record[key]) if callable(change) else change
        lines[number] = json.dumps(record)
        path.write_text("\n".join(lines) + "\n")
        before = files(tmp_path / "m")
        with pytest.raises(GameforgeError, match=rf"games\.jsonl, line {number + 1} is damaged: .*{reason}"):
            play(tmp_path / "m")
        assert files(tmp_path / "m") == before
