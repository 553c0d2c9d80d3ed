"""Games of OpenSpiel as rules: their moves, outcomes, texts and draws."""

import pickle
from pathlib import Path
from typing import Any

import pytest
from openspiel_games import GAMES, require_openspiel

import gameforge as gf
from gameforge.cli.main import run
from gameforge.errors import GameforgeError
from gameforge.play.perft import perft, playouts
from gameforge.testing import check

require_openspiel()

import pyspiel  # noqa: E402


def rules_of(name: str, **settings: Any) -> Any:
    return gf.game("openspiel", name=name, **settings).rules


def leaves(state: Any, mover: int, depth: int) -> int:
    """Count games of OpenSpiel by its own functions; the side that waits passes, which is a ply as well."""
    if depth == 0:
        return 1
    if state.is_terminal():
        return 0
    if state.current_player() != mover:
        return leaves(state, 1 - mover, depth - 1)
    return sum(leaves(state.child(action), 1 - mover, depth - 1) for action in state.legal_actions())


@pytest.mark.parametrize("name", GAMES)
def test_perft_agrees_with_openspiel(name: str) -> None:
    start, depth = pyspiel.load_game(name).new_initial_state(), GAMES[name]
    counts = perft(gf.game("openspiel", name=name).position(), depth)
    assert counts == leaves(start, start.current_player(), depth)


@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four", "mancala", "dots_and_boxes", "nim"])
def test_contract(name: str) -> None:
    check("rules", f"openspiel:name={name},plies=30").require()


def test_contract_of_the_observation() -> None:
    check("features", "observation", game="openspiel:name=connect_four").require()


def test_a_game_to_its_end_agrees_with_openspiel() -> None:
    position, state = gf.game("openspiel", name="dots_and_boxes").position(), None
    state = pyspiel.load_game("dots_and_boxes").new_initial_state()
    passes = 0
    while position.outcome is None:
        move = position.legal_moves[-1]
        if str(move) == "pass":
            passes += 1
        else:
            state.apply_action(move.code)
        position = position.play(move)
    assert state.is_terminal()
    assert passes > 0
    worth = state.player_return(0)
    assert position.outcome.winner == (None if worth == 0 else int(worth < 0))


def test_parameters_of_a_game() -> None:
    position = gf.game('openspiel:name="breakthrough(rows=6,columns=5)"').position()
    assert str(position).splitlines()[0].count("b") == 5


def test_a_game_ends_at_the_limit_of_plies() -> None:
    position = gf.game("openspiel", name="chess", plies=4).position()
    for move in ("Nf3", "Nf6", "Ng1", "Ng8"):
        assert position.outcome is None
        position = position.play(move)
    assert position.outcome is not None
    assert position.outcome.winner is None
    assert playouts(gf.game("openspiel", name="chess", plies=4).position(), 5).plies == 20


def test_white_of_chess_moves_first() -> None:
    """OpenSpiel gives White the number 1."""
    position = gf.game("openspiel", name="chess").position()
    for move in ("e4", "f6", "d4", "g5", "Qh5#"):
        position = position.play(move)
    assert position.outcome is not None
    assert position.outcome.winner == 0


def test_states_survive_the_process() -> None:
    position = gf.game("openspiel", name="checkers").position()
    for _ in range(30):
        position = position.play(position.legal_moves[0])
    assert pickle.loads(pickle.dumps(position)) == position
    assert position.game.position(position.fen).state == position.state


def test_a_search_finds_the_win() -> None:
    position = gf.game("openspiel", name="tic_tac_toe").position("0,3,1,4")
    for searcher in ("minimax:depth=3", "uct:simulations=500"):
        player = gf.player(position.game.rules, searcher=searcher)
        assert player.choose(position).code == 2


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("backgammon", "the game has chance"),
        ("kuhn_poker", "the game has chance"),
        ("phantom_ttt", "hidden information"),
        ("oshi_zumo", "at the same time"),
        ("conect_four", "did you mean"),
        ("breakthrough(lines=3)", "cannot load"),
        ("havannah(swap=", "cannot load"),
    ],
)
def test_a_game_that_cannot_be_played_is_explained(name: str, said: str) -> None:
    with pytest.raises(GameforgeError, match=said) as caught:
        rules_of(name)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["7", "0,9", "x", "0,,1", "pass"])
def test_a_position_that_is_not_one_is_explained(text: str) -> None:
    with pytest.raises(GameforgeError, match="is not legal"):
        gf.game("openspiel", name="connect_four").position(text if text != "7" else "0,7")


def test_a_game_that_is_too_long_is_explained() -> None:
    with pytest.raises(GameforgeError, match="at most 2"):
        gf.game("openspiel", name="connect_four", plies=2).position("0,1,2")


def playthrough_of(name: str) -> str:
    """A playthrough as OpenSpiel writes it."""
    from open_spiel.python.algorithms import generate_playthrough

    return str(generate_playthrough.playthrough(name, None, seed=3))


@pytest.mark.parametrize(
    "name",
    ["connect_four", "dots_and_boxes", "breakthrough(rows=6,columns=6)", pytest.param("chess", marks=pytest.mark.slow)],
)
def test_playthroughs_of_openspiel_are_read(name: str, tmp_path: Path) -> None:
    text = playthrough_of(name)
    (tmp_path / "p.txt").write_text(text)
    files = gf.game("openspiel", name=name).files
    assert files is not None
    (game,) = files.read_games(tmp_path / "p.txt")
    actions = [int(line.partition(" ")[2]) for line in text.splitlines() if line.startswith("action: ")]
    start, codes = pyspiel.load_game(name).new_initial_state(), list(game.codes)
    assert [code for code in codes if code != start.num_distinct_actions()] == actions
    for action in actions:
        start.apply_action(action)
    first = rules_of(name).spiel.movers[0]
    worth = start.player_return(first)
    assert game.outcome.winner == (None if worth == 0 else int(worth < 0))


def test_match_traces_of_openspiel_are_read(tmp_path: Path) -> None:
    """The lines that its programs print for a game; the texts of some actions have spaces."""
    state = pyspiel.load_game("quoridor(board_size=5)").new_initial_state()
    actions = []
    while not state.is_terminal() and len(actions) < 60:
        actions.append(state.action_to_string(state.legal_actions()[0]))
        state.apply_action(state.legal_actions()[0])
    (tmp_path / "log.txt").write_text(f"Returns: 1.0 -1.0 , Game actions: {' '.join(actions)}\n")
    files = gf.game("openspiel", name="quoridor(board_size=5)").files
    assert files is not None
    (game,) = files.read_games(tmp_path / "log.txt")
    assert len(game.codes) == len(actions)


def test_a_playthrough_of_another_game_is_refused(tmp_path: Path) -> None:
    (tmp_path / "p.txt").write_text("game: breakthrough(rows=6,columns=6)\n")
    for name, fits in (("breakthrough(columns=6,rows=6)", True), ("breakthrough", False)):
        files = gf.game("openspiel", name=name).files
        assert files is not None
        if fits:
            assert len(list(files.read_games(tmp_path / "p.txt"))) == 1
        else:
            with pytest.raises(GameforgeError, match="another game"):
                list(files.read_games(tmp_path / "p.txt"))


def test_the_example_names_the_parameter_that_is_needed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["plugins", "--kind", "rules", "--game", "openspiel"]) == 0
    assert "gameforge play --game openspiel:name=NAME" in capsys.readouterr().out
