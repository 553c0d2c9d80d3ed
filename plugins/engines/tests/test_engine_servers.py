"""Players as engines: the protocols' words, and the same games through a protocol as without it."""

import contextlib
import io
import random
import re
import shlex
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterator

import attrs
import pytest
from gameforge_engines import dxp, protocols
from gameforge_engines.dxp import GameEnd, GameRequest, MoveMade, decoded
from gameforge_engines.gtp import GtpServer
from gameforge_engines.hub import HubServer, arguments
from gameforge_engines.nboard import NBoardServer
from gameforge_engines.protocols import MOST_NODES, figure
from gameforge_engines.server import Lines, Options, Thinker, options_of
from gameforge_engines.ugi import UgiServer

import gameforge as gf
from gameforge.cli import main as cli
from gameforge.cli.players import ChosenPlayer
from gameforge.errors import GameforgeError
from gameforge.play.game import Position
from gameforge.play.player import Player
from gameforge.play.player_plan import PlayerPlan
from gameforge.play.workshop import Workshop

OTHELLO, DRAUGHTS = "othello", "draughts"


def searching(game: str, evaluator: str) -> Player:
    return gf.player(game, searcher="alphabeta:depth=3,memory=0", evaluator=evaluator, oracle="none")


@attrs.frozen(kw_only=True)
class Levels(ChosenPlayer):
    """A player whose levels all play alike."""

    player: Player
    count: int

    @property
    def levels(self) -> int:
        return self.count

    def made(self, level: int | None = None, **limits: float | None) -> Player:
        if level is not None and level > self.count:
            raise GameforgeError(f"the player has no level {level}")
        return self.player


def with_options(player: Player, levels: int = 0) -> Options:
    chosen = Levels(workshop=Workshop(), plan=PlayerPlan(), player=player, count=levels)
    return options_of(chosen, {}, player, 0)


def talk(make: Callable[[Thinker, Lines], object], player: Player, *lines: str) -> list[str]:
    """Send the lines to a server and return its own."""
    target = io.StringIO()
    server = make(
        Thinker(player, with_options(player)), Lines(io.StringIO("".join(line + "\n" for line in lines)), target)
    )
    server.serve()  # type: ignore[attr-defined]
    return target.getvalue().splitlines()


def gtp(thinker: Thinker, lines: Lines) -> GtpServer:
    return GtpServer(thinker, lines=lines)


def ugi(thinker: Thinker, lines: Lines) -> UgiServer:
    return UgiServer(thinker, lines=lines)


def hub(thinker: Thinker, lines: Lines) -> HubServer:
    return HubServer(thinker, lines=lines)


def nboard(thinker: Thinker, lines: Lines) -> NBoardServer:
    return NBoardServer(thinker, lines=lines)


class TestGtp:
    def test_a_game(self) -> None:
        said = talk(gtp, searching(OTHELLO, "wpc"), "boardsize 8", "1 play black D3", "2 genmove white", "undo", "quit")
        assert said[0] == "="
        assert said[2] == "=1"
        assert said[4].startswith("=2 ")
        assert said[4].split()[1] in ("C3", "C5", "E3")

    @pytest.mark.parametrize(
        ("line", "answer"),
        [
            ("play green D3", "? syntax error: expected black or white"),
            ("play white C3", "? it is black's turn"),
            ("boardsize 19", "? unacceptable size; the board has 8 rows"),
            ("bogus", "? unknown command"),
            ("undo", "? cannot undo"),
            ("gameforge-setoption", "? syntax error: expected an option, and its value"),
            (
                "gameforge-setoption hash 3",
                "? unknown option 'hash'; known: depth, nodes, time, memory, databases",
            ),
            ("final_score", "? the game is not over"),
        ],
    )
    def test_wrong_commands_are_refused(self, line: str, answer: str) -> None:
        assert talk(gtp, searching(OTHELLO, "wpc"), line)[0] == answer

    def test_options(self) -> None:
        said = talk(gtp, searching(OTHELLO, "wpc"), "gameforge-setoption depth 5", "gameforge-options")
        assert "= depth 5" in said

    def test_a_pass_may_be_left_out(self) -> None:
        """Othello programs send no passes: the colour says that one was made."""
        thinker = Thinker(searching(OTHELLO, "wpc"))
        thinker.position = position = before_a_pass()
        mover, other = ("black", "white") if position.turn == 0 else ("white", "black")
        target = io.StringIO()
        GtpServer(thinker, lines=Lines(io.StringIO(f"genmove {other}\nundo\nundo\ngenmove {mover}\n"), target)).serve()
        said = target.getvalue().split("\n\n")
        assert said[0][2:].lower() in [str(move) for move in position.play("pass").legal_moves]
        assert said[3] == "= PASS"


def before_a_pass() -> Position:
    """Return a position in which the side to move must pass, and the game is not over after it."""
    rng = random.Random(1)
    while True:
        position = gf.game(OTHELLO).position()
        while position.outcome is None:
            if str(position.legal_moves[0]) == "pass":
                return position
            position = position.play(rng.choice(position.legal_moves))


class TestUgi:
    def test_a_search(self) -> None:
        said = talk(ugi, searching(DRAUGHTS, "material"), "ugi", "isready", "position startpos moves 11-15", "go")
        assert said[0].startswith("id name GameForge")
        assert "readyok" in said
        assert said[-2].startswith("info depth 3 score cp ")
        assert said[-1].startswith("bestmove 2")

    def test_queries(self) -> None:
        said = talk(ugi, searching(DRAUGHTS, "material"), "query p1turn", "query gameover", "query result")
        assert said == ["response true", "response false", "response none"]

    @pytest.mark.parametrize("line", ["position fen nonsense", "go sideways 3", "setoption name Hash value 3", "what"])
    def test_wrong_commands_are_reported(self, line: str) -> None:
        (said,) = talk(ugi, searching(DRAUGHTS, "material"), line)
        assert said.startswith("info string error: ")

    def test_options_are_listed_and_set(self) -> None:
        said = talk(ugi, searching(DRAUGHTS, "material"), "ugi", "setoption name Depth value 2", "go")
        for name in ("depth", "nodes", "time", "memory", "databases"):
            assert f"option name {name} type string default <empty>" in said
        assert depths(said) == [2]
        back = ("setoption name depth value 2", "setoption name depth value <empty>", "go")
        assert depths(talk(ugi, searching(DRAUGHTS, "material"), *back)) == [3]

    def test_level_is_an_option_of_players_that_have_levels(self) -> None:
        player = searching(DRAUGHTS, "material")
        assert "level" not in with_options(player).values
        options = with_options(player, levels=2)
        assert options.with_value("level", "2").player() is not None
        with pytest.raises(GameforgeError, match="no level 3"):
            options.with_value("level", "3").player()

    def test_limits_of_one_search(self) -> None:
        assert depths(talk(ugi, searching(DRAUGHTS, "material"), "go depth 1")) == [1]
        (line, _) = talk(ugi, searching(DRAUGHTS, "material"), "go nodes 100")
        assert int(line.split("nodes ")[1].split()[0]) < 300

    def test_an_endless_search_deepens_and_answers_after_stop(self) -> None:
        said = stopped(ugi, searching(DRAUGHTS, "material"), ["go infinite"], "info depth 3 ", "bestmove ", ["stop"])
        assert depths(said) == list(range(1, len(depths(said)) + 1))
        assert said[-1].startswith("bestmove ")

    @pytest.mark.parametrize(
        ("line", "said"),
        [
            ("setoption name depth value deep", "depth = 'deep': must be a number"),
            ("setoption name level value 3", "unknown option 'level'"),
            ("setoption name databases value chinok", "did you mean"),
            ("go depth", "unknown limit 'depth'"),
            ("go depth abc", "info string error: depth 'abc': expected a whole number, 1 or more"),
            ("go nodes 0", "info string error: nodes '0': expected a whole number, 1 or more"),
        ],
    )
    def test_wrong_values_are_explained(self, line: str, said: str) -> None:
        (answer,) = talk(ugi, searching(DRAUGHTS, "material"), line)
        assert said in answer


def depths(said: list[str]) -> list[int]:
    """Return the depths of the reports of UGI."""
    return [int(line.split()[2]) for line in said if line.startswith("info depth")]


def stopped(
    make: Callable[[Thinker, Lines], object], player: Player, begin: list[str], sign: str, answer: str, end: list[str]
) -> list[str]:
    """Send lines to a server, the last ones as soon as it has said something that begins with `sign`.

    Asserts that it did not answer before.
    """
    target = io.StringIO()

    def lines() -> Iterator[str]:
        yield from begin
        while not any(line.startswith(sign) for line in target.getvalue().splitlines()):
            time.sleep(0.01)
        assert not any(line.startswith(answer) for line in target.getvalue().splitlines())
        yield from end

    class Waiting(Lines):
        def __iter__(self) -> Iterator[str]:
            return lines()

    make(Thinker(player, with_options(player)), Waiting(io.StringIO(), target)).serve()  # type: ignore[attr-defined]
    return target.getvalue().splitlines()


@pytest.mark.parametrize("number", ["nan", "inf", "-inf", "1e300", "9" * 5000])
def test_numbers_beyond_any_range_are_refused_or_ignored(number: str) -> None:
    draughts, othello = searching(DRAUGHTS, "material"), searching(OTHELLO, "wpc")
    expected = "expected a number from -1e+08 to 1e+08"
    assert expected in talk(gtp, othello, f"time_left black {number} 0")[0]
    assert expected in talk(gtp, othello, f"time_left black 10 {number}")[0]
    assert expected in talk(ugi, draughts, f"go movetime {number}")[0]
    assert expected in talk(ugi, draughts, f"go p1time {number}")[0]
    assert expected in talk(hub, draughts, f"level move-time={number}", "go think")[0]
    assert figure(number, 7.0, MOST_NODES) == 7.0


def test_a_negative_number_of_moves_means_that_it_is_unknown() -> None:
    assert talk(gtp, searching(OTHELLO, "wpc"), "time_left black 10 -1", "genmove black")[2].startswith("= ")


class TestHub:
    START = "Wbbbbbbbbbbbbeeeeeeeewwwwwwwwwwww"

    def test_a_search(self) -> None:
        said = talk(
            hub, searching(DRAUGHTS, "material"), "hub", "init", f'pos pos={self.START} moves="11-15 22-18"', "go think"
        )
        assert "wait" in said
        assert "ready" in said
        assert said[-1] == "done move=15x22x18"

    def test_an_analysis_deepens_and_answers_after_stop(self) -> None:
        said = stopped(
            hub, searching(DRAUGHTS, "material"), ["hub", "init", "go analyze"], "info depth=3 ", "done ", ["stop"]
        )
        assert said[-1].startswith("done move=")

    @pytest.mark.parametrize(("line", "depth"), [("set-param name=depth value=2", 2), ("level depth=1", 1)])
    def test_depth_is_a_parameter_and_a_level(self, line: str, depth: int) -> None:
        said = talk(hub, searching(DRAUGHTS, "material"), line, "go think")
        assert said[0].startswith(f"info depth={depth} ")

    @pytest.mark.parametrize("line", ["level depth=-1", "level nodes=x", "level time=soon"])
    def test_a_wrong_level_is_reported_at_once(self, line: str) -> None:
        (answer,) = talk(hub, searching(DRAUGHTS, "material"), line)
        assert answer.startswith("error message=")

    def test_arguments(self) -> None:
        assert arguments('a=1 b="two words" c') == {"a": "1", "b": "two words", "c": ""}


class TestNBoard:
    GGF = "(;GM[Othello]PC[x]TY[8]BO[8 ---------------------------O*------*O--------------------------- *]B[d3];)"

    def test_a_search(self) -> None:
        said = talk(nboard, searching(OTHELLO, "wpc"), "nboard 2", f"set game {self.GGF}", "ping 3", "go")
        assert "pong 3" in said
        move = next(line for line in said if line.startswith("=== "))
        assert move.split()[1].partition("/")[0] in ("C3", "C5", "E3")

    def test_a_hint_reports_every_depth_up_to_the_one_that_is_set(self) -> None:
        said = talk(nboard, searching(OTHELLO, "wpc"), "set depth 3", "hint 1")
        assert said[0] == "status GameForge is analysing"
        assert [line.split()[-1] for line in said if line.startswith("search ")] == ["1", "2", "3"]
        assert said[-1] == "status"

    def test_a_hint_without_a_depth_ends_with_the_next_command(self) -> None:
        said = stopped(nboard, searching(OTHELLO, "wpc"), ["hint 1"], "search ", "pong", ["ping 7"])
        found = [int(line.split()[-1]) for line in said if line.startswith("search ")]
        assert found == list(range(1, len(found) + 1))
        assert said[-2:] == ["status", "pong 7"]

    def test_a_wrong_number_of_hints_is_reported(self) -> None:
        said = talk(nboard, searching(OTHELLO, "wpc"), "set depth 1", "hint abc")
        assert said == ["status error: hint 'abc': expected a number of moves, 1 or more"]


class TestDxp:
    @pytest.mark.parametrize(
        "message",
        [
            GameRequest("a", "Z", 5, 75),
            MoveMade(3, 22, 15, (18,)),
            GameEnd("1"),
            GameRequest("b", "W", 0, 0, "Z" + "e" * 32),
        ],
    )
    def test_messages_survive_a_round_trip(self, message: GameRequest | MoveMade | GameEnd) -> None:
        assert decoded(message.encoded()) == message


GAME = GameRequest("client", "W", 0, 0)
"""The client moves first."""
MOVE, ILLEGAL = MoveMade(0, 11, 15), MoveMade(0, 1, 32)


class DxpClient:
    """A client of the server at a port, with messages of its own."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)

    def send(self, *messages: bytes) -> None:
        self.socket.sendall(b"".join(message + dxp.END for message in messages))

    def plays(self) -> bool:
        """Propose a game, and return whether the server accepts it."""
        self.send(GAME.encoded().encode())
        found = b""
        while dxp.END not in found:
            found += self.socket.recv(4096)
        return found.startswith(b"AGameForge") and found.rstrip(b"\0")[-1:] == b"0"

    def leave(self, *, reset: bool) -> None:
        """Close the connection; with a reset, as a program does that was killed with messages unread."""
        if reset:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()


class TestDxpServer:
    """Whatever one client does, the next one is served."""

    @pytest.fixture
    def serve(self) -> Iterator[Callable[[Player], int]]:
        """Serve a player in a thread; returns the port."""
        listeners = []

        def started(player: Player) -> int:
            listener = socket.create_server(("127.0.0.1", 0))
            listeners.append(listener)

            def work() -> None:
                with contextlib.suppress(OSError):  # the listener is closed after the test
                    dxp.DxpServer(Thinker(player), listener).serve()

            threading.Thread(target=work, daemon=True).start()
            port: int = listener.getsockname()[1]
            return port

        yield started
        for listener in listeners:
            listener.shutdown(socket.SHUT_RDWR)
            listener.close()

    @pytest.fixture
    def player(self) -> Player:
        return gf.player(DRAUGHTS, searcher="random", evaluator="none")

    @pytest.mark.parametrize("reset", [False, True])
    @pytest.mark.parametrize(
        "messages",
        [
            (GAME.encoded().encode(), ILLEGAL.encoded().encode()),
            (MOVE.encoded().encode(),),
            (GAME.encoded().encode(), *20 * [ILLEGAL.encoded().encode()]),
            (b"\xff\xfe", b"R", b"R01", b"M", b"M-001-1-1-1", b"E", b"C" + 300 * b"x", b"Cset depth x", b"", b"K"),
            (GameRequest("a", "W", 0, 0, "Z" + 32 * "?").encoded().encode(), MOVE.encoded().encode()),
        ],
    )
    def test_a_client_that_leaves_after_nonsense(
        self, messages: tuple[bytes, ...], reset: bool, serve: Callable[[Player], int], player: Player
    ) -> None:
        port = serve(player)
        for _ in range(3):
            client = DxpClient(port)
            client.send(*messages)
            client.leave(reset=reset)
        assert DxpClient(port).plays()

    def test_a_silent_client_leaves_its_place_to_the_next(
        self, serve: Callable[[Player], int], player: Player, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(dxp, "_IDLE_SECONDS", 0.01)
        port = serve(player)
        silent = DxpClient(port)
        assert DxpClient(port).plays()
        assert silent.socket.recv(1) == b""

    def test_a_silent_client_stays_while_nobody_waits(
        self, serve: Callable[[Player], int], player: Player, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(dxp, "_IDLE_SECONDS", 0.01)
        monkeypatch.setattr(protocols, "LOOK_SECONDS", 0.01)
        client = DxpClient(serve(player))
        time.sleep(0.1)
        assert client.plays()

    def test_an_exception_of_the_player_ends_the_game_alone(
        self, serve: Callable[[Player], int], player: Player, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(self: Thinker, seconds: float | None = None) -> None:
            raise RuntimeError("out of luck")

        client = DxpClient(serve(player))
        assert client.plays()
        monkeypatch.setattr(Thinker, "choose", fail)
        client.send(MOVE.encoded().encode())
        said = b""
        while said.count(dxp.END) < 2:
            said += client.socket.recv(4096)
        assert said == b"CRuntimeError: out of luck\0E00\0"
        monkeypatch.undo()
        assert client.plays()


@pytest.mark.parametrize(
    ("game", "protocol", "evaluator"),
    [
        (DRAUGHTS, "ugi", "material"),
        (DRAUGHTS, "hub", "material"),
        (DRAUGHTS, "dxp", "material"),
        (OTHELLO, "gtp", "wpc"),
        (OTHELLO, "nboard", "wpc"),
    ],
)
def test_the_same_games_through_a_protocol(game: str, protocol: str, evaluator: str) -> None:
    parts = f"alphabeta:depth=3,memory=0 + {evaluator} + none"
    command = shlex.join([sys.executable, "-m", "gameforge", "engine", parts, "--game", game, "--protocol", protocol])
    command += " --port {port}" if protocol == "dxp" else ""
    searcher = {"use": "engine", "command": command, "protocol": protocol, "handshake": 120.0, "patience": 120.0}
    far = gf.player(game, searcher=searcher, evaluator=None, oracle="none", name="player")
    near = gf.player(game, searcher="alphabeta:depth=3,memory=0", evaluator=evaluator, oracle="none", name="player")
    opponent = gf.player(game, searcher="minimax:depth=2", evaluator=evaluator, oracle="none", name="opponent")
    through, inside = (gf.match(one, opponent, 2, openings=4, seed=3) for one in (far, near))
    assert through.forfeits == (0, 0)
    assert [record.codes for record in through.games] == [record.codes for record in inside.games]


@pytest.mark.parametrize("seconds", ["0", "nan", "1e308"])
def test_an_impossible_time_for_a_move_is_refused(seconds: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["engine", "--game", "othello", "--movetime", seconds]) == 2
    assert re.search("movetime.*: must be", capsys.readouterr().err)


def test_a_port_is_refused_for_a_protocol_without_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["engine", "--game", "draughts", "--protocol", "hub", "--port", "4000"]) == 2
    assert "--port 4000: only dxp has a port; hub uses" in capsys.readouterr().err
