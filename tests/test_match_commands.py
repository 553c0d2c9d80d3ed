"""Tests of `gameforge match` and `gameforge tournament`."""

import json
import shlex
from pathlib import Path

import pytest
from toy_site import TOY, registry

import gameforge as gf
from gameforge.cli import main as cli
from gameforge.cli.figures import milliseconds_text
from gameforge.play.saved_players import save_player

CONNECT_FOUR = Path(__file__).parents[1] / "examples" / "third_party_plugin" / "gameforge_connect_four.py"
PLAYER = "greedy + linear + lanes"
STUCK = "script:moves=[0,0,0,0,0,0,0,0]"


def run(capsys: pytest.CaptureFixture[str], line: str) -> tuple[str, str]:
    """Run a command successfully; return standard output and standard error."""
    assert cli.run(["--plugin", str(TOY), *shlex.split(line)]) == 0
    captured = capsys.readouterr()
    return captured.out, captured.err


def match(capsys: pytest.CaptureFixture[str], options: str = "", other: str = PLAYER) -> str:
    return run(capsys, f"match '{PLAYER}' '{other}' --game shuttle {options}")[0]


class TestMatch:
    def test_output(self, capsys: pytest.CaptureFixture[str]) -> None:
        first, second = match(capsys, "--games 10 --openings random:2").splitlines()
        assert first.startswith(f"{PLAYER} - {PLAYER}: 0 won, 10 drawn (0 loops), 0 lost; Elo +0, error unknown; ")
        assert first.endswith(" distinct of 10 games")
        assert second.startswith("pairs with 0, 1/2, 1, 3/2, 2 points: 0 0 5 0 0; time per move: 0.0")

    def test_json(self, capsys: pytest.CaptureFixture[str]) -> None:
        table = json.loads(match(capsys, "--games 4 --json --sprt 0,50"))
        assert table["players"] == [PLAYER, PLAYER]
        assert table["games"] == 4
        assert table["pentanomial"] == [0, 0, 2, 0, 0]
        assert table["sprt"]["accepted"] is None
        assert len(table["seconds_per_move"]) == 2

    def test_a_sequential_test_ends_the_match(self, capsys: pytest.CaptureFixture[str]) -> None:
        """For equal players, few pairs suffice to reject 200 Elo; no number of games is given."""
        last = match(capsys, "--openings random:2 --sprt 0,200 --workers 2").splitlines()[-1]
        assert last.startswith("SPRT 0,200 (logistic Elo): LLR -")
        assert " (-2.94, 2.94), H0 accepted after " in last

    def test_repeated_games_are_reported(self, capsys: pytest.CaptureFixture[str]) -> None:
        """Without an opening, both players replay one game; 20 games are as good as one pair."""
        line = f"match '{PLAYER}' '{PLAYER}' --game shuttle --games 20 --openings random:0"
        out, err = run(capsys, line)
        assert "warning: only 1 of 20 games" in err
        assert "error unknown; 1 distinct of 20 games" in out

    def test_repeated_games_of_the_match_after_a_training_are_reported(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """The toy game has few openings."""
        parts = "--searcher greedy --evaluator linear --features lanes --learner drift:rounds=1 --yardstick none"
        out = run(capsys, f"run --game shuttle {parts} --match-games 200 --out '{tmp_path / 'run'}'")[0]
        assert "of 200 games between trained and untrained are distinct; repeated games add no evidence" in out

    def test_forfeits_are_reported(self, capsys: pytest.CaptureFixture[str]) -> None:
        out = match(capsys, "--games 2 --openings random:0", STUCK)
        assert out.splitlines()[0].endswith(f"; {STUCK} forfeited 2")

    def test_resumes_in_its_folder(self, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
        options = f"--games 4 --out {tmp_path / 'm'}"
        first = match(capsys, options)
        assert match(capsys, options) == first
        assert match(capsys, options.replace("4", "8")).splitlines()[0].endswith("of 8 games")
        assert cli.run(["--plugin", str(TOY), "match", PLAYER, STUCK, "--game=shuttle", *shlex.split(options)]) == 2
        assert capsys.readouterr().err.startswith(
            f"error: the folder {tmp_path / 'm'} holds another match: players.1.name is "
        )

    def test_a_toml_file_is_a_player(self, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
        file = tmp_path / "player.toml"
        file.write_text('game = "shuttle"\nseed = 4\nsearcher = "greedy"\nfeatures = "lanes"\nevaluator = "linear"\n')
        out, _ = run(capsys, f"match {file} {file} --games 2")
        assert out.startswith(f"{file} - {file}: ")

    def test_players_of_another_game_are_rejected(self, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
        """Also if both play the same game, but not the one that --game names."""
        file = tmp_path / "player.toml"
        file.write_text('game = "shuttle"\nsearcher = "greedy"\nfeatures = "lanes"\nevaluator = "linear"\n')
        line = ["--plugin", str(TOY), "--plugin", str(CONNECT_FOUR), "match", str(file), str(file), "--games=2"]
        assert cli.run([*line, "--game=connect-four"]) == 2
        assert capsys.readouterr().err == f"error: player '{file}' plays shuttle, not connect-four\n"
        assert cli.run([*line, "--game=shuttle"]) == 0

    def test_the_rules_of_all_players_can_be_named(self, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
        """A saved player and a file keep their own rules, unless --game gives parameters."""
        folder, file = tmp_path / "saved", tmp_path / "player.toml"
        parts = {"searcher": "greedy", "features": "lanes", "evaluator": "linear"}
        save_player(folder, gf.player("shuttle:stones=3", registry=registry(), **parts))
        file.write_text('game = "shuttle:stones=4"\n' + "".join(f'{kind} = "{one}"\n' for kind, one in parts.items()))
        line = ["--plugin", str(TOY), "match", str(folder), str(file), "--games=2", f"--out={tmp_path / 'm'}"]
        for options in ([], ["--game=shuttle"]):
            assert cli.run([*line, *options]) == 2
            assert "by the same rules; choose the parameters of the rules with --game\n" in capsys.readouterr().err
        assert cli.run([*line, "--game=shuttle:stones=2"]) == 0
        assert "stones=2" in json.loads((tmp_path / "m" / "match.json").read_text())["game"]
        assert cli.run(["--plugin", str(CONNECT_FOUR), *line, "--game=connect-four:stones=1"]) == 2
        assert capsys.readouterr().err == f"error: player '{folder}' plays shuttle, not connect-four\n"

    def test_rules_without_a_repr_are_the_same_in_every_process(
        self, capsys: pytest.CaptureFixture[str], tmp_path: Path
    ) -> None:
        player = "minimax:depth=1"
        line = ["--plugin", str(CONNECT_FOUR), "match", player, player, "--game=connect-four", "--games=2"]
        for _ in range(2):  # each process makes its own rules
            assert cli.run([*line, "--out", str(tmp_path / "m")]) == 0
        assert json.loads((tmp_path / "m" / "match.json").read_text())["game"] == "connect-four()"


class TestTournament:
    def test_crosstable(self, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
        players = f"'{PLAYER}' '{STUCK}' 'script:moves=[1,1,1,1,1,1,1,1]'"
        line = f"tournament {players} --game shuttle --games 4 --openings random:0 --out {tmp_path / 't'}"
        rows = run(capsys, line)[0].splitlines()
        assert rows[0].split() == ["player", "Elo", "+-", "points", "games"]
        assert rows[1].startswith(f"1  {PLAYER} ")
        assert rows[4].split() == ["1", "2", "3"]
        assert rows[5].rstrip().endswith("+0 =4 -0  +4 =0 -0")
        assert rows[8:] == ["5 distinct of 12 games"]
        assert max(map(len, rows)) <= 80
        assert sorted(path.name for path in (tmp_path / "t").iterdir()) == ["match-001", "match-002", "match-003"]
        assert run(capsys, line)[0].splitlines() == rows

    def test_a_wide_crosstable_is_printed_whole(self, capsys: pytest.CaptureFixture[str]) -> None:
        """A crosstable of 15 players is not cut off."""
        players = [f"script:moves=[{','.join('1' * n)}]" for n in range(1, 16)]
        quoted = " ".join(f"'{player}'" for player in players)
        text, _ = run(capsys, f"tournament {quoted} --game shuttle --games 2 --openings random:0")
        assert "…" not in text
        assert max(map(len, text.splitlines())) <= 80
        assert all(player in text for player in players)

    def test_repeated_games_are_reported(self, capsys: pytest.CaptureFixture[str]) -> None:
        """The warning names the match that repeats its games; those of `random` differ."""
        line = f"tournament '{PLAYER}' '{STUCK}' random --game shuttle --games 8 --openings random:0"
        out, err = run(capsys, line)
        (warning,) = [one for one in err.splitlines() if one.startswith("warning: ")]
        assert warning.startswith(f"warning: only 2 of 8 games between {PLAYER} and {STUCK} are distinct; ")
        assert out.splitlines()[-1].endswith(" distinct of 24 games")

    def test_a_clock_that_is_none_is_explained(self, capsys: pytest.CaptureFixture[str]) -> None:
        line = ["--plugin", str(TOY), "tournament", PLAYER, STUCK, "--game", "shuttle"]
        assert cli.run([*line, "--clock", "0"]) == 2
        assert "clock '0'" in capsys.readouterr().err
        assert cli.run([*line, "--movetime", "0"]) == 2
        assert "--movetime 0: must be more than 0 and" in capsys.readouterr().err

    def test_json(self, capsys: pytest.CaptureFixture[str]) -> None:
        line = f"tournament '{PLAYER}' '{STUCK}' --game shuttle --games 4 --openings random:0 --gauntlet --json"
        table = json.loads(run(capsys, line)[0])
        assert [player["name"] for player in table["players"]] == [PLAYER, STUCK]
        assert table["players"][0]["score"] == 4
        assert table["players"][0]["elo"] == -table["players"][1]["elo"]
        assert len(table["matches"]) == 1


def test_times_of_a_move_have_no_exponent() -> None:
    assert [milliseconds_text(seconds) for seconds in (7.3e-8, 0.00064, 0.0199, 1.2345, 0)] == [
        "0.0000730 ms",
        "0.640 ms",
        "19.9 ms",
        "1234 ms",
        "0 ms",
    ]
