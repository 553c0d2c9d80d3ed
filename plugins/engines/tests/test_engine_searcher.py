"""An external program as a player: whole games, and everything that can go wrong with it."""

import itertools
import os
import shlex
import shutil
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest
from gameforge_engines import protocols
from gameforge_engines.ugi import read_info

import gameforge as gf
from gameforge.cli import main as cli
from gameforge.cli.players import with_limits
from gameforge.discovery.registry import default_registry
from gameforge.errors import GameforgeError
from gameforge.play.player import Player

DOUBLE = Path(__file__).with_name("double.py")
GAME = "othello"
RHINO = shutil.which("gtp-rhino", path="/usr/games:/usr/bin:/usr/local/bin")


def double(fault: str = "none", **settings: object) -> Player:
    command = shlex.join([sys.executable, str(DOUBLE), GAME, "ugi", fault])
    searcher = {"use": "engine", "command": command, "protocol": "ugi", "handshake": 600.0, **settings}
    return gf.player(GAME, searcher=searcher, evaluator=None, oracle="none", name="double")


@pytest.fixture(scope="module")
def player() -> Player:
    """The double without a fault; one process for several tests."""
    return double()


def test_an_engine_chooses_the_moves(player: Player) -> None:
    position = gf.game(GAME).position().play("d3")
    analysis = player.analyse(position)
    assert str(analysis.move) == str(position.legal_moves[0])
    assert (analysis.nodes, analysis.depth) == (3, 1)
    assert analysis.score == pytest.approx(0.12 / 1.12)


def test_limits_of_an_engine_replace_those_of_its_player(player: Player) -> None:
    """As `--depth` does, and the options of `gameforge engine`."""
    limited = with_limits(player, default_registry(), depth=2)
    assert limited.spec["searcher"]["depth"] == 2
    assert limited.analyse(gf.game(GAME).position().play("d3")).nodes == 3


def test_whole_games_from_any_opening(player: Player) -> None:
    """The double plays the first legal move, which only depends on the position: its games are those of a rule."""
    result = gf.match(player, gf.player(GAME, searcher="minimax:depth=1", evaluator="wpc", oracle="none"), 4)
    assert result.forfeits == (0, 0)
    assert len(result.games) == 4


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("illegal", "made an illegal move: 'illegal' is not a move"),
        ("half a line", "ended with exit code 0; it last said: "),
        ("dies at once", "ended with exit code 3"),
        ("silent", "did not answer within 1 s"),
        ("endless line", "sent more than 65536 bytes without an end of line"),
    ],
)
def test_a_fault_is_one_sentence_that_names_the_engine(fault: str, reason: str) -> None:
    player = double(fault, handshake=1.0 if fault == "silent" else 600.0)
    with pytest.raises(GameforgeError) as caught:
        player.analyse(gf.game(GAME).position())
    assert reason in str(caught.value)
    assert "double.py" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_engine_that_says_other_things_is_quoted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its time goes on as soon as it has said something, so that it may start slowly."""
    heard, hours = threading.Event(), itertools.count(0, 3600)
    answered = protocols.EngineProcess._answered

    def hear(engine: protocols.EngineProcess, line: str) -> None:
        answered(engine, line)
        heard.set()

    monkeypatch.setattr(protocols.EngineProcess, "_answered", hear)
    monkeypatch.setattr(protocols, "time", SimpleNamespace(monotonic=lambda: next(hours) if heard.is_set() else 0))
    with pytest.raises(GameforgeError, match=r"did not answer within 600 s; it last said: '\\x1b\[31mwhat"):
        double("garbage").analyse(gf.game(GAME).position())


def over_dxp(*command: str, **settings: object) -> Player:
    line = shlex.join([sys.executable, *command]).replace("'{port}'", "{port}")
    searcher = {"use": "engine", "command": line, "protocol": "dxp", "handshake": 600.0, **settings}
    return gf.player("draughts", searcher=searcher, evaluator=None, oracle="none")


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("does not listen", r"does not listen at port \d+ after 1 s"),
        ("dies at once", "ended with exit code 3"),
        ("garbage", "sent something other than a DXP message: DXP: 'what.' is not a message"),
        ("endless message", "sent more than 256 bytes without the end of a message"),
        ("refuses", "refused a game from Zzzzzzzzzzzzz.*, with code 2"),
        ("illegal", "made an illegal move: '1-32' is not legal"),
        ("ends the game", "ended the game"),
        ("silent", "ended with exit code 0"),
    ],
)
def test_a_fault_over_dxp_is_one_sentence(fault: str, reason: str) -> None:
    handshake = 1.0 if fault == "does not listen" else 600.0
    player = over_dxp(str(DOUBLE.with_name("dxp_double.py")), "{port}", fault, handshake=handshake)
    with pytest.raises(GameforgeError, match=reason):
        player.analyse(gf.game("draughts").position())


@pytest.mark.parametrize(
    ("served", "options", "said"),
    [
        ("alphabeta + material + none", "depth=1; memory=0", None),
        ("random", "hash=3", "did not accept the option 'hash': unknown option"),
    ],
)
def test_options_of_our_own_engine_over_dxp(served: str, options: str, said: str | None) -> None:
    """They travel as chat messages, since the protocol has none."""
    line = ("-m", "gameforge", "engine", served, "--game", "draughts", "--protocol", "dxp")
    player = over_dxp(*line, "--port", "{port}", options=options)
    if said is None:
        assert player.analyse(gf.game("draughts").position()).move
    else:
        with pytest.raises(GameforgeError, match=said):
            player.analyse(gf.game("draughts").position())


def test_a_match_goes_on_after_a_crash(tmp_path: Path) -> None:
    """The forfeit has a reason, the engine is started again, and its errors are kept in the match folder."""
    opponent = gf.player(GAME, searcher="minimax:depth=1", evaluator="wpc", oracle="none")
    result = gf.match(double("crashes"), opponent, 2, out=tmp_path / "m")
    assert ["ended with exit code 4" in game.note for game in result.games] == [True, False]
    assert result.forfeits == (1, 0)
    assert "hello from the double" in (tmp_path / "m" / "engine.log").read_text()


@pytest.mark.parametrize(
    ("command", "why"),
    [("/no/such/engine --fast", "there is no program '/no/such/engine'"), ("engine 'x", "No closing quotation")],
)
def test_a_command_that_cannot_be_started_is_refused_before_the_first_game(command: str, why: str) -> None:
    searcher = {"use": "engine", "command": command, "protocol": "ugi"}
    with pytest.raises(GameforgeError) as error:
        gf.player(GAME, searcher=searcher, evaluator=None, oracle="none")
    assert str(error.value) == f"engine {command!r} cannot be started: {why}"


def test_a_protocol_that_cannot_express_the_game(capsys: pytest.CaptureFixture[str]) -> None:
    line = ["match", "engine:command=x,protocol=hub", "minimax:depth=1 + wpc", "--game", GAME, "--games", "2"]
    assert cli.run(line) == 2
    assert "protocol hub cannot express othello" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"protocol": "uci"}, "protocol"), ({"options": "Hash"}, "NAME=VALUE"), ({"time": 0.0}, "time")],
)
def test_wrong_settings(settings: dict[str, object], message: str) -> None:
    with pytest.raises(GameforgeError, match=message):
        double(**settings)


@pytest.mark.engines
@pytest.mark.skipif(
    RHINO is None and not os.environ.get("CI"), reason="GRhino (Debian package grhino) is not installed"
)
def test_grhino_plays_whole_games() -> None:
    searcher = {"use": "engine", "command": f"{RHINO} -l 1 -m 2", "protocol": "gtp"}
    rhino = gf.player(GAME, searcher=searcher, evaluator=None, oracle="none", name="rhino")
    result = gf.match(rhino, gf.player(GAME, searcher="minimax:depth=2", evaluator="wpc", oracle="none"), 2, openings=6)
    assert result.forfeits == (0, 0)
    assert all(game.outcome.reason == "no moves left" for game in result.games)


@pytest.mark.parametrize(
    ("line", "score"),
    [
        ("depth 3 score cp 100", 0.5),
        ("depth 3 score cp much", 0.25),
        ("score mate 3", 1.0),
        ("score mate -3", -1.0),
        ("score mate soon", 0.25),
        ("score mate 1e300", 0.25),
    ],
)
def test_a_score_that_is_not_a_number_leaves_the_one_before(line: str, score: float) -> None:
    assert read_info(line.split(), 0.25, 1, 2)[0] == score
