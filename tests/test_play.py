"""Playing in the terminal: the session, the command over a pipe, and the command on a terminal."""

import os
import pty
import re
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import NoReturn

import pytest
import sleepy
import toy_site
from sleepy import evaluations

import gameforge as gf
from gameforge.cli import main as cli
from gameforge.cli.commands.play import Session
from gameforge.cli.figures import score_text
from gameforge.cli.players import plan_for, with_limits
from gameforge.discovery.loading import load
from gameforge.discovery.registry import Registry, default_registry
from gameforge.errors import GameforgeError
from gameforge.interfaces.evaluator import ORACLE_WIN, PLY, PROVEN_WIN, WON
from gameforge.play.player import Player
from gameforge.play.player_plan import PlayerPlan
from gameforge.play.workshop import Workshop

PLAYER = "minimax:depth=2 + material"
PLAY = ["play", PLAYER, "--game", "draughts"]


class Table:
    """A session of draughts with its output, and a way to send it input."""

    def __init__(
        self, fen: str | None = None, *, save: Path | None = None, oracle: str = "none", book: str = "none"
    ) -> None:
        registry = default_registry()
        player = gf.player("draughts", searcher="minimax:depth=2", evaluator="material", oracle=book)
        self.told: list[str] = []
        self.session = Session(
            player,
            player.game.position(fen),
            0,
            oracles=Workshop().verdict_oracles(PlayerPlan(), player, [oracle]),
            save=save,
            limited=lambda player, settings: with_limits(player, registry, depth=int(settings["depth"])),
            say=self.told.append,
        )

    def say(self, *lines: str) -> str:
        """Send input; returns all output from then on, including the player's replies."""
        self.told.clear()
        for line in lines:
            self.session.take(line)
            if self.session.to_think:
                self.session.think()
        return "\n".join(self.told)

    @property
    def fen(self) -> str:
        return self.session.game.position_text(self.session.position.state)


def test_lines_fit_a_terminal_of_80_characters_and_break_between_moves() -> None:
    table = Table("W:W21,22,23,24,25,26,27,28,29,30,K5,K13:B1")
    table.session.side = 1
    assert all(len(line) < 80 for line in table.say("help").splitlines())
    lines = table.say("moves").splitlines()
    assert len(lines) > 1
    assert all(len(line) < 80 and line.endswith(tuple("0123456789")) for line in lines)
    assert all(line.split(")")[0].isdecimal() for line in lines)


class TestSession:
    def test_a_move_as_text_and_from_the_list(self) -> None:
        for line in ("9-13", "1", "9 - 13"):
            table = Table()
            assert "White plays " in table.say(line)
            assert [str(table.session.position.start.after(m).state) for m in table.session.position.moves_played[:1]]
            assert table.session.position.moves_played[0] == table.session.position.start.play("9-13").last_move
            assert len(table.session.position.moves_played) == 2

    def test_undo_takes_back_the_move_and_the_reply(self) -> None:
        table = Table()
        table.say("11-15", "undo")
        assert table.session.position.parent is None
        with pytest.raises(GameforgeError, match="there is no move of yours to take back"):
            table.say("undo")

    def test_undo_after_the_game(self) -> None:
        table = Table("B:WK15:B10,11")
        assert "Black wins: no legal move" in table.say("11x18")
        table.say("undo")
        assert table.fen == "B:WK15:B10,11"

    def test_swap(self) -> None:
        table = Table()
        assert "you now play White" in table.say("swap")
        assert len(table.session.position.moves_played) == 1
        assert table.session.prompt == "White> "

    def test_set_up_and_show_a_position(self) -> None:
        table = Table()
        table.say("fen W:WK15,K18:B1", "swap")
        assert table.say("fen").splitlines()[0] == table.fen
        table.say("new")
        assert table.session.position.parent is not None  # the player has Black
        with pytest.raises(GameforgeError, match="there is no square 33"):
            table.say("fen W:W33:B1")

    def test_hint_and_verdict(self) -> None:
        table = Table("B:WK15,K18:B1", oracle="chinook:pieces=3")
        assert table.say("hint").startswith("1-")
        assert table.say("oracle") == "chinook:pieces=3: a loss for Black"
        assert "24 pieces; this database covers up to 3" in Table(oracle="chinook:pieces=3").say("oracle")
        with pytest.raises(GameforgeError, match="there is no oracle;"):
            Table().say("oracle")

    def test_scores_in_pieces_are_in_no_further_parentheses(self) -> None:
        table = Table()
        table.session.player = gf.player("draughts", searcher="uct:simulations=50", evaluator="none", oracle="none")
        score = r"\d+\.\d % \([+-]\d+\.\d+ men\)"
        assert re.fullmatch(rf"\d+-\d+: {score}, [-x\d ]+", table.say("hint"))
        assert re.search(rf"^White plays \d+-\d+: {score}, \d+\.\d s \(limit: \w+\)$", table.say("11-15"), re.MULTILINE)

    def test_limit(self) -> None:
        table = Table()
        assert table.say("limit depth=4") == "you now play against player (depth 4)"
        assert table.session.player.spec["searcher"] == {"use": "minimax", "depth": 4, "ties": "first"}
        for wrong in ("limit", "limit depth", "limit depth=", "limit =3"):
            with pytest.raises(GameforgeError, match="must be KEY=VALUE"):
                table.say(wrong)

    def test_go_makes_a_move_for_the_person(self) -> None:
        table = Table()
        assert table.say("go").count(" plays ") == 2

    def test_the_book_is_followed_without_a_search(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def analyse(self: Player, position: object) -> None:
            raise AssertionError("a search")

        monkeypatch.setattr(Player, "analyse", analyse)
        table = Table(book="book")
        assert ": book move" in table.say("11-15")
        assert table.say("hint").endswith(": book move")

    def test_the_player_can_be_interrupted(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def interrupted(self: Player, position: object) -> None:
            raise KeyboardInterrupt

        table = Table()
        with monkeypatch.context() as patch:
            patch.setattr(Player, "analyse", interrupted)
            assert "interrupted; enter `go` to let the player think again" in table.say("9-13")
        assert not table.session.to_think
        assert "White plays" in table.say("go")
        with monkeypatch.context() as patch:
            patch.setattr(Player, "analyse", interrupted)
            table.say("11-16")
            table.say("1")  # the person moves for the player
        assert len(table.session.position.moves_played) == 4

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            ("11-20", r"'11-20' is not legal in .*legal here: 9-13, 10-14"),
            ("0", "0 is not the number of a move; allowed: 1 to 7"),
            ("8", "8 is not the number of a move; allowed: 1 to 7"),
            ("hnt", r"'hnt' is not a move or a command \(did you mean 'hint'\?\)"),
            ("save", "save: the name of a file is missing"),
            ("1x2x", "is not a move such as 11-15"),
        ],
    )
    def test_errors_change_nothing(self, line: str, message: str) -> None:
        table = Table()
        before = table.fen
        with pytest.raises(GameforgeError, match=message):
            table.say(line)
        assert table.fen == before

    def test_an_ambiguous_move(self) -> None:
        with pytest.raises(GameforgeError, match="'2x18' may mean 2x"):
            Table("B:W6,7,14,15:B2").say("2x18")

    def test_after_the_game(self) -> None:
        table = Table("B:WK15:B10,11")
        table.say("11x18")
        for line in ("1", "hint", "9-13", "go"):
            with pytest.raises(GameforgeError, match="the game is over; `undo` continues it and `new` starts another"):
                table.say(line)

    def test_a_game_without_diagram_and_notation(self) -> None:
        player = gf.player(
            "shuttle", searcher="greedy", evaluator="linear", features="lanes", registry=toy_site.registry()
        )
        told: list[str] = []
        session = Session(player, player.game.position(), 0, limited=lambda player, _: player, say=told.append)
        session.take("0x2")
        session.think()
        assert told[0].startswith("South plays 0x")


class TestEndings:
    def test_resign(self, tmp_path: Path) -> None:
        table = Table(save=tmp_path / "games.pdn")
        assert "White wins: resignation" in table.say("11-15", "resign")
        assert "{resignation} 0-1" in (tmp_path / "games.pdn").read_text()
        with pytest.raises(GameforgeError, match="the game is over"):
            table.say("resign")
        table.say("undo")
        assert table.session.outcome is None
        assert len(table.session.position.moves_played) == 2

    def test_a_new_game_keeps_the_resigned_one(self, tmp_path: Path) -> None:
        table = Table(save=tmp_path / "games.pdn")
        table.say("resign", "new")
        assert (tmp_path / "games.pdn").read_text().count("[Result") == 2

    def test_a_draw_by_an_oracle_is_accepted(self, tmp_path: Path) -> None:
        table = Table("B:WK1:BK32", oracle="chinook:pieces=3", save=tmp_path / "games.pdn")
        assert "accepts the draw: by chinook:pieces=3" in table.say("draw")
        assert "1/2-1/2" in (tmp_path / "games.pdn").read_text()

    def test_a_win_by_an_oracle_is_not_given_away(self) -> None:
        table = Table("B:WK15,K18:B1", oracle="chinook:pieces=3")
        assert "declines the draw: chinook:pieces=3 knows a win" in table.say("draw")
        assert table.session.outcome is None

    def test_no_draw_at_the_beginning(self) -> None:
        assert "declines the draw: it is too early" in Table().say("draw")

    @pytest.mark.parametrize(
        ("position", "side", "reply"),
        [
            ("B:WK1,K2:BK31,K32", 1, "accepts the draw: the score is about even"),
            ("B:WK1,K2:BK30,K31,K32", 1, "accepts the draw: the player is worse"),
            ("B:WK1,K2:BK30,K31,K32", 0, "declines the draw: the player has winning chances"),
        ],
    )
    def test_the_score_decides(self, position: str, side: int, reply: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("gameforge.cli.commands.play.EARLIEST_DRAW", 0)
        table = Table(position)
        table.session.side = 1 - side
        assert reply in table.say("draw")


class TestSave:
    def test_a_game_without_a_file_format_is_saved_as_a_line(self, tmp_path: Path) -> None:
        player = gf.player(
            "shuttle", searcher="greedy", evaluator="linear", features="lanes", registry=toy_site.registry()
        )
        path = tmp_path / "game.txt"
        session = Session(player, player.game.position(), 0, save=path, limited=lambda player, _: player)
        session.take("0x2")
        text = path.read_text()
        assert text == f"gameforge play: you - {player.name}; start 0x2,0x2,0x3,0x0,0x0; 0x2; not finished\n"

    def test_the_file_is_updated_after_every_move(self, tmp_path: Path) -> None:
        path = tmp_path / "game.pdn"
        table = Table(save=path)
        assert '[Black "you"]' in path.read_text()
        table.session.take("9-13")
        assert path.read_text().endswith("\n1. 9-13 *\n")
        table.say("fen B:WK15:B10,11", "11x18")
        first, second = path.read_text().split("\n\n[")
        assert first.endswith("1. 9-13 *")
        assert second.endswith("1. 11x18 {no legal move} 1-0\n")

    def test_an_existing_file_is_not_overwritten(self, tmp_path: Path) -> None:
        (tmp_path / "a").write_text("mine")
        with pytest.raises(GameforgeError, match="already exists; choose another file"):
            Table(save=tmp_path / "a")
        table = Table()
        table.say(f"save {tmp_path / 'b'}")
        with pytest.raises(GameforgeError, match="cannot write"):
            table.say(f"save {tmp_path / 'missing' / 'c'}")
        table.say("1")
        assert (tmp_path / "a").read_text() == "mine"
        assert "1. 9-13" in (tmp_path / "b").read_text()


class TestPlayerChoice:
    def test_oracles_for_verdicts(self) -> None:
        workshop = Workshop()
        player = gf.player("draughts", searcher="minimax:depth=1", evaluator="material")
        with_oracle = gf.player("draughts", evaluator="material", oracle="chinook:pieces=2")

        def chosen(given: list[str], whose: Player) -> list[tuple[str, int]]:
            plan = workshop.plan("minimax:depth=1 + material", "draughts")
            found = workshop.verdict_oracles(plan, whose, given)
            return [(o.spec.use, o.spec.params["pieces"]) for o in found]

        assert chosen([], player) == [("chinook", 4)]  # the preset's
        assert chosen([], with_oracle) == [("chinook", 2)]
        assert chosen(["chinook:pieces=3"], player) == [("chinook", 3)]
        assert workshop.verdict_oracles(PlayerPlan(), with_oracle, ["none"]) == []

    def test_a_player_that_excludes_oracles_gives_no_verdicts(self, tmp_path: Path) -> None:
        workshop = Workshop()
        player = gf.player("draughts", searcher="minimax:depth=1", evaluator="material")
        parts = 'searcher = "minimax:depth=1"\nevaluator = "material"\n'
        (tmp_path / "silent.toml").write_text(parts)
        (tmp_path / "none.toml").write_text(parts + 'oracle = "none"\n')

        def chosen(text: str, *given: str) -> list[str]:
            plan = workshop.plan(text, "draughts")
            return [o.spec.use for o in workshop.verdict_oracles(plan, player, given)]

        assert chosen("minimax:depth=1 + material") == ["chinook"]
        assert chosen("minimax:depth=1 + material + none") == chosen("strong:level=2 + none") == []
        assert chosen(str(tmp_path / "silent.toml")) == ["chinook"]
        assert chosen(str(tmp_path / "none.toml")) == []
        assert chosen("strong + none", "chinook:pieces=3") == ["chinook"]

    @pytest.mark.parametrize(
        ("text", "level", "given", "consulted"),
        [
            (None, None, ["none"], []),
            ("strong", None, ["chinook:pieces=2"], ["chinook"]),
            ("alphabeta:depth=1 + material", None, ["chinook:pieces=2"], ["chinook"]),
            ("alphabeta:depth=1 + material + chinook:pieces=2", None, ["none"], ["chinook"]),
            ("alphabeta:depth=1 + material + none", None, ["chinook:pieces=2"], []),
            ("strong", 1, ["chinook:pieces=2"], []),
            ("strong:level=1", None, ["chinook:pieces=2"], []),
        ],
    )
    def test_oracles_replace_those_that_a_player_does_not_name(
        self, text: str | None, level: int | None, given: list[str], consulted: list[str]
    ) -> None:
        def announce(*told: object) -> NoReturn:
            pytest.fail("a database was prepared that nobody asked for")

        workshop = Workshop(announce=announce)
        found = workshop.build(plan_for(workshop, text, "draughts", level=level, oracles=given))
        assert [one["use"] for one in found.spec.get("oracle", [])] == consulted
        assert found.name.partition(" (")[0] == (text or "strong")

    def test_default_player_of_the_game(self) -> None:
        registry = toy_site.registry()
        workshop = Workshop(registry)
        assert plan_for(workshop, None, "draughts").name == gf.game("draughts").defaults.player
        assert plan_for(workshop, None, "shuttle").name == "uct:simulations=10000"
        plugins = load(registry.plugins.files)
        plugins.manager.unregister(name="any_game")  # it has a player for any game
        with pytest.raises(GameforgeError, match="shuttle has no default player; give one"):
            plan_for(Workshop(Registry(plugins)), None, "shuttle")

    @pytest.mark.parametrize(
        ("score", "text"),
        [
            (0.1234, "+0.123"),
            (-0.00001, "+0.000"),
            (-WON, "loss"),
            (ORACLE_WIN - 3 * PLY, "win"),
            (PROVEN_WIN - 5 * PLY, "win in 5 plies"),
            (PLY - PROVEN_WIN, "loss in 1 ply"),
            (-PROVEN_WIN, "loss"),
        ],
    )
    def test_score_text(self, score: float, text: str) -> None:
        assert score_text(score) == text


def play(folder: Path, lines: str, *options: str) -> "subprocess.CompletedProcess[bytes]":
    """The command in a separate process, with these lines on its standard input."""
    code = "from gameforge.cli.main import main; main()"
    return subprocess.run(
        [sys.executable, "-c", code, *PLAY, *options],
        cwd=folder,
        input=lines.encode("latin-1"),
        capture_output=True,
        timeout=600,
    )


def test_without_any_input(tmp_path: Path) -> None:
    code = f"import sys; sys.stdin = None; from gameforge.cli.main import run; sys.exit(run({PLAY!r}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600, check=False)
    assert (done.returncode, done.stderr) == (
        2,
        "error: play: there is no standard input; run it in a terminal, or pipe lines to it\n",
    )


def test_over_a_pipe(tmp_path: Path) -> None:
    done = play(tmp_path, "9-13\n\xff\noracle\n", "--save", "game.pdn", "--oracle", "chinook:pieces=2")
    out = done.stdout.decode()
    assert done.returncode == 0
    assert b"error" not in done.stderr  # but perhaps that kernels are compiled
    assert "Black> 9-13\nWhite plays" in out
    assert "is not a move such as" in out
    assert "24 pieces; this database covers up to 2" in out
    assert out.endswith("saved in game.pdn\n")
    assert "1. 9-13 " in (tmp_path / "game.pdn").read_text()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--side", "green"], "--side 'green': not a side of draughts; allowed: Black or White"),
        (["--depth", "0"], "--depth 0: must be 1 or more"),
        (["--time", "1"], "searcher minimax has no limit 'time'; allowed: depth"),
        (["--fen", "W:W33:B1"], "FEN 'W:W33:B1': there is no square 33"),
        (["--save", "."], ". already exists; choose another file"),
        (["--oracle", "chinok"], "unknown oracle or book 'chinok'"),
    ],
)
def test_bad_options(options: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run([*PLAY, *options]) == 2
    assert capsys.readouterr().err.startswith(f"error: {message}")


class Terminal:
    """The command on a pseudo-terminal."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.screen = ""
        self._master, slave = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-c", "from gameforge.cli.main import main; main()", *arguments],
            cwd=folder,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            preexec_fn=lambda: __import__("fcntl").ioctl(0, __import__("termios").TIOCSCTTY, 0),
        )
        os.close(slave)

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    def wait_for(self, text: str, seconds: float = 600) -> None:
        """Read until the text appears after the text awaited before."""
        end = time.monotonic() + seconds
        while text not in self.screen:
            left = end - time.monotonic()
            assert left > 0, f"no {text!r} in {self.screen!r}"
            if select.select([self._master], [], [], left)[0]:
                try:
                    self.screen += os.read(self._master, 4096).decode(errors="replace")
                except OSError:  # the other end is closed
                    assert text in self.screen, f"no {text!r} in {self.screen!r}"
        self.screen = self.screen.partition(text)[2]

    def close(self) -> int:
        code = self.process.wait(600)
        os.close(self._master)
        return code


def test_on_a_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.setenv("SLEEPY", str(work))
    player = ["play", "minimax:depth=1 + sleepy", "--game", "draughts"]
    terminal = Terminal(tmp_path, "--plugin", sleepy.__file__, *player, "--save", "game.pdn")
    terminal.wait_for("Black> ")
    terminal.type("9-13\n")
    terminal.wait_for("White plays")
    terminal.wait_for("Black> ")
    terminal.type("limit depth=40\n")
    terminal.wait_for("Black> ")
    before = sum(evaluations(work))
    terminal.type("1\n")
    while sum(evaluations(work)) < before + 50:  # it thinks, without an end
        assert terminal.process.poll() is None
        time.sleep(0.01)
    terminal.type("\x03")
    terminal.wait_for("interrupted; enter `go` to let the player think again, or make a move for it")
    terminal.wait_for("White> ")
    terminal.type("\x03\n")  # the key ends Python's wait, which ignores a signal that comes just before it
    terminal.wait_for("saved in game.pdn")
    terminal.wait_for("interrupted")
    assert terminal.close() == 130
    assert "1. 9-13 " in (tmp_path / "game.pdn").read_text()


def test_limits_are_named_beside_the_level_and_instead_of_other_limits() -> None:
    registry = default_registry()
    player = gf.player("othello", "strong", level=3, registry=registry)
    player.name = "strong (level 3)"
    two = with_limits(player, registry, depth=2)
    assert two.name == "strong (level 3) (depth 2)"
    assert with_limits(two, registry, depth=3, nodes=9).name == "strong (level 3) (depth 3, nodes 9)"
