"""What a match says about an engine: one that cannot be set up ends it, and other rules are not a win."""

import shlex
import sys
from pathlib import Path

import pytest

import gameforge as gf
from gameforge.cli import main as cli
from gameforge.errors import GameforgeError
from gameforge.play.player import Player

DOUBLE = Path(__file__).with_name("gtp_double.py")
GAME = "othello"
LINE = "f5 d6 c3 d3"
OPPONENT = "minimax:depth=1 + wpc"


def double(environment: str = "ANSWER=none", **settings: object) -> Player:
    """The GTP double, started in the folder of the tests."""
    searcher = {
        "use": "engine",
        "command": f"{sys.executable} ./{DOUBLE.name}",
        "protocol": "gtp",
        "handshake": 600.0,
        "patience": 600.0,
        "directory": str(DOUBLE.parent),
        "environment": environment,
        **settings,
    }
    return gf.player(GAME, searcher=searcher, evaluator=None, oracle="none", name="double")


@pytest.fixture(scope="module")
def opponent() -> Player:
    return gf.player(GAME, searcher="minimax:depth=1", evaluator="wpc", oracle="none")


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A file with a line of moves."""
    path = tmp_path_factory.mktemp("openings") / "lines.txt"
    path.write_text(f"{LINE}\n", encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("counts", [False, True])
def test_an_engine_that_takes_the_game_for_over_does_not_lose_it_unless_asked(
    counts: bool, opponent: Player, lines: str
) -> None:
    """It has been set up with the moves of the file."""
    result = gf.match(double(), opponent, 2, openings=lines, count_forfeits=counts)
    assert [len(game.codes) for game in result.games] == [4, 5]
    assert {game.outcome.reason for game in result.games} == {"other rules"}
    assert "made no move, 'none', in a running game" in result.games[0].note
    assert result.disputes == 2
    assert (result.wins, result.draws, result.losses) == ((0, 0, 2) if counts else (0, 2, 0))
    assert result.forfeits == ((2, 0) if counts else (0, 0))
    assert f"2 of the games ended by other rules, counted as {'lost' if counts else 'drawn'}" in str(result)


def test_the_time_of_the_processor_is_that_of_the_engine(opponent: Player, lines: str) -> None:
    result = gf.match(double(), opponent, 2, openings=lines)
    busy, _ = result.processor_per_move
    assert 0.045 < busy < 0.5
    assert result.seconds_per_move[0] > 0.045


def test_an_engine_that_resigns_loses(opponent: Player, lines: str) -> None:
    result = gf.match(double("ANSWER=resign"), opponent, 2, openings=lines)
    assert (result.losses, result.disputes, result.forfeits) == (2, 0, (2, 0))


def test_an_engine_that_refuses_a_move_of_a_running_game_disagrees() -> None:
    player = double("ANSWER=F5; REFUSES=play white")
    position = gf.game(GAME).position()
    assert str(player.analyse(position).move) == "f5"
    with pytest.raises(GameforgeError, match="refused 'play white D6'") as caught:
        player.analyse(position.play("f5").play("d6"))
    assert type(caught.value).__name__ == "EngineDisagrees"


@pytest.mark.parametrize(
    ("environment", "opening", "reason"),
    [
        ("ANSWER=D3", "---------------------------OX------XO--------------------------- O", "cannot play from"),
        ("REFUSES=play", LINE, "refused 'play black F5': not for me, in tests"),
        ("REFUSES=clear_board", LINE, "refused 'clear_board'"),
        ("REFUSES=list", LINE, "refused 'list_commands'"),
    ],
)
def test_an_engine_that_cannot_be_set_up_ends_the_match(
    environment: str, opening: str, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    openings = tmp_path / "openings.txt"
    openings.write_text(f"{opening}\n", encoding="utf-8")
    settings = f"protocol=gtp,directory={DOUBLE.parent},environment={environment},handshake=600"
    engine = f'engine:command="{sys.executable} ./{DOUBLE.name}",{settings}'
    line = ["match", engine, f"{OPPONENT} + none", "--game", GAME, "--games", "2", "--openings", str(openings)]
    assert cli.run([*line, "--on-error", "forfeit"]) == 2
    error = capsys.readouterr().err.splitlines()[-1]
    assert reason in error
    assert "Traceback" not in error


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"directory": "/no/such"}, "there is no directory '/no/such'"),
        ({"directory": "/"}, "there is no program './gtp_double.py'"),
        ({"environment": "ANSWER"}, "environment: 'ANSWER' is not of the form NAME=VALUE"),
    ],
)
def test_wrong_surroundings(settings: dict[str, object], message: str) -> None:
    with pytest.raises(GameforgeError, match=message):
        double(**{"command": "./gtp_double.py", **settings})


EDAX = """import sys
for line in sys.stdin:
    if line.startswith("ping"):
        print("pong", line.split()[1], flush=True)
    elif line.startswith("go"):
        print("status thinking", "nodestats 9 0.1", ANSWER, "status waiting", sep=chr(10), flush=True)
"""


@pytest.mark.parametrize(
    "answer", ["=== F5 2.00 0.1", "=== F5/2.00/0.1", "=== F5", "=== f5//0.1"], ids=["Edax", "NBoard", "bare", "empty"]
)
def test_forms_of_an_answer_over_nboard(answer: str) -> None:
    command = shlex.join([sys.executable, "-c", EDAX.replace("ANSWER", repr(answer))])
    searcher = {"use": "engine", "command": command, "protocol": "nboard", "handshake": 600.0, "patience": 600.0}
    player = gf.player(GAME, searcher=searcher, evaluator=None, oracle="none")
    assert str(player.analyse(gf.game(GAME).position()).move) == "f5"
