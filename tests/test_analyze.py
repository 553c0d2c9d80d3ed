"""Analysis of positions and games, in Python and on the command line."""

import importlib.util
import json
import re
from pathlib import Path
from typing import Any

import attrs
import pytest
import toy_site

import gameforge as gf
from gameforge.cli import main as cli
from gameforge.cli.analysed_games import annotated, lesson, report
from gameforge.errors import GameforgeError
from gameforge.interfaces.evaluator import PLAIN, PLY, PROVEN_WIN, WON, EvaluatorFunctions, Unit
from gameforge.interfaces.features import FeatureFunctions
from gameforge.interfaces.games import Annotations, GameRecord
from gameforge.interfaces.rules import Outcome, Rules
from gameforge.play.analysis import ask, candidates, graded, judge, least_loss, mark
from gameforge.play.game import Position
from gameforge.play.knowledge import OracleHandle
from gameforge.play.player import Player, score_unit

ORACLE = "chinook:pieces=3"
LOST_WIN = """\
[Event "a win thrown away"]
[Black "A"]
[White "B"]
[Result "0-1"]
[GameType "21,B,8,8,N1,0"]
[SetUp "1"]
[FEN "B:WK2:BK10,K18"]

1. 10-6 2x9 {forced} 2. 18-14 9x18 0-1

[Event "the second"]
[Result "*"]
[GameType "21,B,8,8,N1,0"]

1. 9-13 *
"""


def player(depth: int = 4) -> Player:
    return gf.player("draughts", searcher=f"alphabeta:depth={depth}", evaluator="material")


def oracle() -> OracleHandle:
    return gf.oracle("chinook", pieces=3)


def position(fen: str) -> Position:
    return gf.game("draughts").position(fen)


def stored(fen: str, moves: str, **more: Any) -> GameRecord:
    here = position(fen)
    for text in moves.split():
        here = here.play(text)
    return GameRecord(
        start=here.start.state,
        moves=tuple(here.moves_played),
        outcome=Outcome.UNFINISHED,
        annotations=Annotations(**more),
    )


class Tempo:
    """An evaluator that scores only the right to move."""

    def functions(self, rules: Rules, features: FeatureFunctions | None) -> EvaluatorFunctions:
        return EvaluatorFunctions(evaluate=lambda ed, w, s, x: 0.25, compiled=False)


class TestCandidates:
    def test_every_legal_move_the_best_first(self) -> None:
        here = position("B:WK2:BK10,K18")
        found = candidates(player(), here, [oracle()])
        assert {str(c.move) for c in found} == {str(move) for move in here.legal_moves}
        values = [c.known.verdict.value for c in found if c.known is not None]
        assert values == sorted(values, key=["win", "draw", "loss"].index)
        assert (values[0], values[-1]) == ("win", "draw")
        assert all(c.line[0] == c.move and c.depth <= 5 for c in found)

    def test_lines_can_be_played(self) -> None:
        here = position("B:W20,21,22,23,26,28:B5,9,10,11,14,K30")
        for candidate in candidates(player(), here):
            end = here
            for move in candidate.line:
                end = end.play(move)

    def test_a_move_that_wins_at_once(self) -> None:
        """One ply to the end, seen from the position before the move."""
        found = candidates(player(), position("B:WK15:B10,11"))
        assert [(str(c.move), c.score, c.nodes) for c in found] == [
            ("10x19", PROVEN_WIN - PLY, 0),
            ("11x18", PROVEN_WIN - PLY, 0),
        ]

    def test_scores_are_those_of_a_search_one_ply_deeper(self) -> None:
        here = position("B:W20,21,22,23,26,28:B5,9,10,11,14,K30")
        plain = "alphabeta:quiescence=false,draws=false,memory=0,depth="
        shallow, deep = (gf.player("draughts", searcher=f"{plain}{n}", evaluator="material") for n in (4, 5))
        assert candidates(shallow, here)[0].score == deep.analyse(here).score

    def test_a_finished_game(self) -> None:
        with pytest.raises(GameforgeError, match=r"^the game is over: White wins \(no legal move\)$"):
            candidates(player(), position("B:W20:B"))


class TestJudge:
    def test_where_the_win_was_lost(self) -> None:
        analysis = judge(player(), stored("B:WK2:BK10,K18", "10-6 2x9 18-14 9x18"), [oracle()])
        assert analysis.lost_wins == [0]
        assert [move.dropped for move in analysis.moves] == [("win", "draw"), None, ("draw", "loss"), None]
        assert [mark(move, 0.02) for move in analysis.moves] == ["?", "", "??", ""]
        assert "the win was lost with 1. 10-6 by Black: a draw by chinook:pieces=3" in list(
            report(analysis, 0.02, PLAIN)
        )

    def test_scores_are_for_the_first_mover(self) -> None:
        analysis = judge(player(), stored("W:WK2,9:BK10,K18", "2-6"))
        assert len(analysis.scores) == 2
        assert analysis.start.turn == 1
        assert analysis.moves[0].after == pytest.approx(-analysis.scores[1], abs=PLY)

    def test_a_bonus_for_the_side_to_move_is_not_a_loss(self) -> None:
        """With such a bonus, scores of successive positions differ, but equal moves lose nothing."""
        searcher = "alphabeta:depth=2,quiescence=false,draws=false"
        judging = gf.player("draughts", searcher=searcher, evaluator=Tempo(), oracle="none")
        analysis = judge(judging, stored("B:WK1,K5:BK28,K32", "32-27 1-6 27-23 6-10"))
        assert {abs(score) for score in analysis.scores} == {0.25}
        assert any(judged.best != judged.move for judged in analysis.moves)
        assert [judged.loss for judged in analysis.moves] == [0.0] * 4

    def test_a_loss_is_the_difference_of_two_candidates(self) -> None:
        game = stored("B:W20,21,22,23,26,28:B5,9,10,11,14,K30", "14-17")
        (judged,) = judge(player(), game).moves
        scores = {str(c.move): c.score for c in candidates(player(), Position(player().game, game.start))}
        assert (judged.before, judged.after) == (scores[str(judged.best)], scores["14-17"])
        assert judged.loss == judged.before - judged.after > 0
        assert f"; loses {judged.loss * 36:.2f} men; better {judged.best} " in next(
            report(judge(player(), game), 0.02, score_unit(player()))
        )

    def test_the_best_move_loses_nothing(self) -> None:
        here = position("B:W20,21,22,23,26,28:B5,9,10,11,14,K30")
        judging = player()
        best = judging.analyse(here).move
        (judged,) = judge(judging, stored("B:W20,21,22,23,26,28:B5,9,10,11,14,K30", str(best))).moves
        assert (judged.loss, mark(judged, 0.0001)) == (0.0, "")

    def test_a_piece_given_away_is_marked(self) -> None:
        """11-15 loses a piece for nothing."""
        analysis = judge(player(), stored("B:W19,28,32:B1,2,11", "11-15 19x10"))
        assert analysis.moves[0].loss > 0.02
        assert mark(analysis.moves[0], 0.02) == "?"
        assert analysis.moves[0].best != analysis.moves[0].move

    def test_marks_for_a_person_follow_from_what_was_lost_in_the_unit_of_the_scores(self) -> None:
        """A man for nothing is twice the half of a man from which moves are marked; all is seen from its side."""
        playing = player()
        analysis, unit = judge(playing, stored("B:W19,28,32:B1,2,11", "11-15 19x10")), score_unit(playing)
        assert unit.one == "man"
        assert [graded(move, least_loss(unit)) for move in analysis.moves] == ["?", ""]
        said = lesson(analysis, 0, unit)
        assert said.startswith("Black had +0.00 men with ")
        assert said.endswith("; 11-15 leaves -1.00 man")
        share = attrs.evolve(analysis.moves[0], before=0.5)
        assert [
            graded(attrs.evolve(share, after=0.5 - loss), least_loss(Unit.EXPECTED_RESULT))
            for loss in (0.09, 0.11, 0.21, 0.41)
        ] == ["", "?!", "?", "??"]

    def test_a_mark_by_an_oracle_has_a_lesson_in_its_words(self) -> None:
        analysis = judge(player(), stored("B:WK2:BK10,K18", "10-6 2x9"), [oracle()])
        assert graded(analysis.moves[0], 1.0) == "?"
        assert lesson(analysis, 0, PLAIN).endswith("; 10-6 leaves a draw by chinook:pieces=3")

    def test_losses_are_bounded_and_ends_are_exact(self) -> None:
        analysis = judge(player(), stored("B:WK15:B10,11", "11x18"))
        assert analysis.scores[-1] == PROVEN_WIN
        assert all(0 <= move.loss <= 2 * WON for move in analysis.moves)

    def test_what_the_oracle_does_not_know(self) -> None:
        assert ask([oracle()], position("B:W20,21,22:B1,2")) is None
        assert ask([], position("B:W20:B1")) is None

    def test_a_drawn_game_is_worth_nothing_at_its_end(self) -> None:
        moves = "1-5 32-28 5-1 28-32 " * 2
        analysis = judge(player(), stored("B:WK32:BK1", moves))
        assert analysis.scores[-1] == 0
        assert analysis.end.outcome is not None


class TestAnnotated:
    def test_own_comments_and_marks_stay(self) -> None:
        game = stored("B:WK2:BK10,K18", "10-6 2x9", comments={1: "hm"}, marks={1: "!"})
        noted = annotated(game, judge(player(), game, [oracle()]), 0.02, PLAIN)
        assert noted.annotations.comments[1].startswith("hm; ")
        assert "a draw instead of a win by chinook:pieces=3; better " in noted.annotations.comments[1]
        assert noted.annotations.marks == {0: "?", 1: "!"}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "games.pdn").write_text(LOST_WIN)
    (tmp_path / "empty.pdn").write_text("")
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert cli.run(["analyze", *arguments, "--game", "draughts"]) == 0
    out: str = capsys.readouterr().out
    return out


@pytest.mark.parametrize(
    ("game", "pieces"),
    [("othello", r"discs?"), ("morris", r"m[ae]n"), ("international", r"m[ae]n"), ("russian", r"m[ae]n")],
)
def test_strong_players_show_percent_and_pieces(game: str, pieces: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["analyze", "--game", game, "--player", "strong + none", "--nodes", "100"]) == 0
    lines = capsys.readouterr().out.splitlines()
    (columns,) = (i for i, line in enumerate(lines) if line.startswith("move "))
    amount = r"[+-]\d+" if game == "othello" else r"[+-]\d+\.\d\d"
    moves = lines[columns + 1 :]
    assert moves
    assert all(re.match(rf"\S+ +\d+\.\d % \({amount} {pieces}\)  ", line) for line in moves)


def test_a_game_of_othello_is_judged_in_percent_and_discs() -> None:
    analyst = gf.player("othello", searcher="uct:simulations=20")
    start = gf.game("othello").position()
    game = GameRecord(
        start=start.state, moves=tuple(start.play("f5").play("f6").moves_played), outcome=Outcome.UNFINISHED
    )
    lines = list(report(judge(analyst, game), -1.0, score_unit(analyst)))
    score = r"\d+\.\d % \([+-]\d+ discs?\)"
    for line in lines[:2]:
        assert re.search(rf" {score}; (.*; )?better .*: {score} for the mover$", line)


class TestCommand:
    def test_a_position(self, capsys: pytest.CaptureFixture[str]) -> None:
        lines = run(capsys, "B:WK2:BK10,K18", "--depth", "3", "--oracle", ORACLE).splitlines()
        assert lines[8].startswith("Black to move")
        assert lines[9].split() == ["move", "score", "depth", "nodes", "oracle", "line"]
        assert lines[-1].split()[0] in ("10-14", "18-22", "18-14", "10-6", "10-7", "18-15")
        assert lines[10].split("  ")[-1].split()[0] == lines[10].split()[0]

    def test_the_limit_that_ended_the_searches(self, capsys: pytest.CaptureFixture[str]) -> None:
        line = ["analyze", "B:WK2:BK10,K18", "--player", "alphabeta + material + none"]
        for limit, number in (("nodes", "30"), ("depth", "3")):
            assert cli.run([*line, f"--{limit}", number]) == 0
            assert f"limit that ended the searches: {limit}" in capsys.readouterr().err
            assert cli.run([*line, f"--{limit}", number, "--json"]) == 0
            assert limit in {json.loads(row)["limit"] for row in capsys.readouterr().out.splitlines()}

    def test_a_position_for_programs(self, capsys: pytest.CaptureFixture[str]) -> None:
        rows = [json.loads(line) for line in run(capsys, "B:WK2:BK10,K18", "--json", "--oracle", ORACLE).splitlines()]
        assert rows[0]["verdict"] == "win"
        assert rows[0]["line"][0] == rows[0]["move"]

    @pytest.mark.parametrize(
        ("player", "names", "shown"),
        [
            ("strong + none", ("%", "men"), "{amount:.1f} % ({pieces:+.2f} men)"),
            ("alphabeta + material + none", ("men", None), "{amount:+.2f} m"),
        ],
    )
    def test_programs_get_the_amounts_that_people_see(
        self, player: str, names: tuple[str, str | None], shown: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        line = ["B:W21,22,23:B10,11,12", "--player", player, "--depth", "2"]
        rows = [json.loads(row) for row in run(capsys, *line, "--json").splitlines()]
        lines = run(capsys, *line).splitlines()[-len(rows) :]
        assert len(rows) == 5
        for row, text in zip(rows, lines, strict=True):
            assert (row["unit"], row["piece_unit"]) == names
            assert (row["result"], row["plies"]) == (None, None)
            assert f" {shown.format(**row)}" in text

    @pytest.mark.parametrize(("player", "verdict"), [("alphabeta + material", "win"), ("strong + none", None)])
    def test_a_player_that_excludes_oracles_judges_alone(
        self, player: str, verdict: str | None, capsys: pytest.CaptureFixture[str]
    ) -> None:
        rows = run(capsys, "B:WK2:BK10,K18", "--json", "--player", player, "--depth", "2").splitlines()
        assert json.loads(rows[0])["verdict"] == verdict

    def test_limits(self, capsys: pytest.CaptureFixture[str]) -> None:
        rows = run(
            capsys, "--json", "--oracle", "none", "--player", "alphabeta + material", "--nodes", "500"
        ).splitlines()
        assert len(rows) == 7
        assert all(json.loads(row)["nodes"] <= 500 for row in rows)

    def test_games_annotated(self, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
        out = run(capsys, "games.pdn", "--depth", "3", "--oracle", ORACLE, "--out", "noted.pdn")
        assert "game 1: A - B\n" in out
        assert "50.0 % (+0.00 men); a draw instead of a win by chinook:pieces=3; better 18-22 " in out
        assert out.splitlines()[1].endswith(": win in 3 plies for the mover")
        assert "the win was lost with 1. 10-6 by Black" in out
        assert "game 2: ? - ?\n" in out
        files = gf.game("draughts").files
        assert files is not None
        before, after = (list(files.read_games(Path(name))) for name in ("games.pdn", "noted.pdn"))
        assert [game.codes for game in before] == [game.codes for game in after]
        assert after[0].annotations.marks == {0: "?", 2: "??"}
        assert after[0].annotations.comments[2].startswith("forced; ")
        assert [game.finished for game in after] == [True, False]

    def test_one_game_for_programs(self, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
        found = json.loads(run(capsys, "games.pdn", "--number", "1", "--json", "--depth", "3", "--oracle", ORACLE))
        assert (found["game"], found["lost_wins"]) == (1, [0])
        assert found["moves"][0]["verdict_before"] == "win"
        assert found["moves"][0]["verdict_after"] == "draw"

    def test_the_moves_of_a_game_in_the_unit(self, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
        Path("lost.pdn").write_text('[FEN "B:W19,28,32:B1,2,11"]\n\n1. 11-15 19x10 *\n')
        line = ["--json", "--depth", "3", "--player", "alphabeta + material + none"]
        found = json.loads(run(capsys, "lost.pdn", *line))
        assert (found["unit"], found["piece_unit"]) == ("men", None)
        amounts = [found["moves"][0][f"amount_{of}"] for of in ("before", "after", "loss")]
        assert amounts == pytest.approx([0.0, -1.0, 1.0])
        move = json.loads(run(capsys, "games.pdn", "--number", "1", *line))["moves"][2]
        assert (move["result_before"], move["result_after"], move["plies_after"]) == (None, "loss", 2)
        assert (move["amount_after"], move["amount_loss"]) == (None, None)

    def test_force_replaces_the_file(self, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
        Path("noted.pdn").write_text("older")
        run(capsys, "games.pdn", "--depth", "3", "--oracle", ORACLE, "--out", "noted.pdn", "--force")
        text = Path("noted.pdn").read_text()
        assert "older" not in text
        assert text.count("1. ") == 2

    def test_plot(self, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
        pytest.importorskip("matplotlib")
        run(capsys, "games.pdn", "--number", "1", "--depth", "3", "--oracle", ORACLE, "--plot", "game.png")
        picture = (here / "game.png").read_bytes()
        assert picture.startswith(b"\x89PNG")
        assert len(picture) > 5000

    def test_plot_without_matplotlib(
        self, here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
        assert cli.run(["analyze", "games.pdn", "--game", "draughts", "--plot", "game.png"]) == 2
        assert capsys.readouterr().err == (
            "error: --plot needs matplotlib, which is not installed: pip install 'gameforge[plot]'\n"
        )

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["missing.pdn"], "there is no file missing.pdn"),
            (["W:W33:B1"], "FEN 'W:W33:B1': there is no square 33"),
            (["B:W20:B"], "the game is over: White wins (no legal move)"),
            (
                ["--out", "a.pdn"],
                "--out, --plot and --number can be used only with a file of games, not with a position",
            ),
            (["games.pdn", "--out", "empty.pdn"], "empty.pdn already exists; choose another file"),
            (["games.pdn", "--out", "none/a.pdn"], "cannot write none/a.pdn: the folder none does not exist"),
            (["games.pdn", "--plot", "none/a.png"], "cannot write none/a.png: the folder none does not exist"),
            (["games.pdn", "--number", "3"], "--number 3: games.pdn has only 2 games"),
            (["empty.pdn"], "empty.pdn has no games that can be analysed"),
            (["games.pdn", "--plot", "a.png"], "games.pdn has several games; choose the one to plot with --number"),
            (["games.pdn", "--plot", "a.gif"], "--plot a.gif: must be the name of a PNG file, ending in .png"),
            (["games.pdn", "--out", "a.png", "--plot", "./a.png"], "--out and --plot name the same path, a.png; "),
            (["--time", "0"], "--time 0: must be more than 0 seconds"),
            (["--time", "nan"], "--time nan: must be a finite number"),
            (["--depth", "0"], "--depth 0: must be 1 or more"),
            (["--player", ""], "player '': the text is empty; "),
            (["--player", "nobody"], "player 'nobody': 'nobody' is not a folder, trained player, searcher, "),
        ],
    )
    def test_bad_input(
        self, arguments: list[str], message: str, here: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        pytest.importorskip("matplotlib")
        line = ["analyze", *arguments, "--game", "draughts", *(["--player", "alphabeta"] * ("--time" in arguments))]
        assert cli.run(line) == 2
        assert capsys.readouterr().err.startswith(f"error: {message}")
        assert sorted(path.name for path in here.iterdir()) == ["empty.pdn", "games.pdn"]

    @pytest.mark.parametrize("what", [["games.pdn", "--number", "3"], ["empty.pdn"], ["W:W33:B1"], ["B:W20:B"]])
    def test_input_is_read_before_the_player_is_made(
        self, what: list[str], here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr("gameforge.play.workshop.Workshop.build", None)
        assert cli.run(["analyze", *what, "--game", "draughts"]) == 2
        printed = capsys.readouterr()
        assert printed.err.startswith("error: ")
        assert not printed.out

    @pytest.mark.parametrize("command", [["analyze", "--player"], ["play"], ["engine"]])
    def test_a_mistyped_folder_is_the_mistake_and_not_the_game(
        self, command: list[str], here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr("gameforge.cli.commands.play.require_input", lambda name: None)
        assert cli.run([*command, "runs/typo"]) == 2
        assert capsys.readouterr().err.startswith("error: player 'runs/typo': 'runs/typo' is not a folder, trained ")

    def test_the_folder_of_a_match(self, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
        gf.match("random", "random", games=2, game="draughts", out="played", progress=False)
        assert cli.run(["analyze", "played", "--player", "minimax:depth=1 + material + none", "--number", "2"]) == 0
        assert capsys.readouterr().out.startswith("game 2: random - random")

    def test_a_game_without_a_format_of_its_own(self, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
        """Its games are lines of moves."""
        analyze = ["--plugin", str(toy_site.TOY), "analyze", "--game", "shuttle", "--player", "greedy + linear + lanes"]
        assert cli.run([*analyze, "games.pdn"]) == 2
        assert capsys.readouterr().err == (
            "error: games.pdn has no games: no playthrough or match trace of OpenSpiel, and no line of ours (read as "
            "games of shuttle, whose files end in .trace)\n"
        )
