"""Requests of pages: answers, cancelling, and messages that make no sense."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import sleepy
from sleepy import evaluations
from web_server import TabClient, WebServer
from websockets.exceptions import ConnectionClosed

DRAUGHTS = {"game": "draughts", "player": "alphabeta:depth=4 + material"}
ENDLESS = {"game": "draughts", "player": "alphabeta:time=10000 + sleepy"}


OWN = """
import gameforge as gf
from gameforge import Component, hookimpl

class Constant:
    def values(self, states):
        return [0.5] * len(states)

class Last:
    def choose(self, position):
        return position.legal_moves[-1]

def guess(position):
    return -0.25

batches = gf.batch_evaluator(lambda positions: [0.125] * len(positions))
last_object = Last()

def broken(position):
    return 1 / 0

@hookimpl
def gameforge_components():
    offered = {"evaluator": ["Constant", "guess", "batches", "broken"], "searcher": ["Last", "last_object"]}
    return [
        Component(kind, f"own-{name.lower()}", f"{__name__}:{name}", "one's own")
        for kind, names in offered.items()
        for name in names
    ]
"""


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which endless searches show that they work."""
    return tmp_path_factory.mktemp("work")


@pytest.fixture(scope="module")
def server(work: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SLEEPY", str(work))
        own = tmp_path_factory.mktemp("plugin") / "own.py"
        own.write_text(OWN)
        state = tmp_path_factory.mktemp("state")
        made = WebServer("--game=draughts", state=state, plugins=[Path(sleepy.__file__), own])
    yield made
    made.close()


def think_in_every_thread(tab: TabClient, work: Path) -> list[int]:
    """Begin endless searches, more than there are threads, and return their numbers."""
    for path in work.iterdir():
        path.unlink()
    threads = os.cpu_count() or 1
    numbers = [tab.send("think", **ENDLESS) for _ in range(min(threads + 2, 15))]
    while len(evaluations(work)) < min(threads, 15):
        time.sleep(0.01)
    return numbers


@pytest.fixture
def tab(server: WebServer) -> Iterator[TabClient]:
    with server.tab() as made:
        yield made


def test_hello_lists_the_games_and_opens_one(tab: TabClient) -> None:
    answer = tab.ask("hello")
    assert {"draughts", "othello", "morris", "connect-four"} <= {game["name"] for game in answer["games"]}
    assert answer["game"]["name"] == "draughts"
    assert tab.ask("game", game="connect-four")["game"]["player"]  # it names none; the core's stands in
    assert len(answer["game"]["board"]["places"]) == 32
    assert len(answer["position"]["pieces"]) == 24
    assert {"text": "11-15", "path": [10, 14], "takes": []} in answer["position"]["legal"]


def test_a_position_names_paths_and_captured_cells(tab: TabClient) -> None:
    view = tab.ask("show", game="draughts", moves=["11-15", "22-18"])["position"]
    [move] = view["legal"]
    assert move == {"text": "15x22", "path": [14, 21], "takes": [17]}
    assert view["last"] == {"text": "22-18", "path": [21, 17]}
    ended = tab.ask("show", game="draughts", start="B:W30:B")["position"]
    assert ended["outcome"]["text"] == "White wins: no legal move"


def test_a_line_is_replayed_from_what_it_shares_with_the_last(tab: TabClient) -> None:
    for moves in (["11-15", "22-18"], ["11-15", "23-19"], ["11-15"], [], ["12-16"], ["11-15", "22-18", "15x22"]):
        view = tab.ask("show", game="draughts", moves=moves)["position"]
        assert (view["last"] or {"text": None})["text"] == (moves[-1] if moves else None)


@pytest.mark.parametrize(
    ("player", "why"),
    [
        ("minimax:depth=1 + own-constant", "-0.500"),
        ("minimax:depth=2 + own-guess", "-0.250"),
        ("alphabeta:depth=2 + own-batches", "+0.125"),
        ("own-last", "no score"),
        ("own-last_object", "no score"),
    ],
)
def test_objects_and_functions_of_a_plugin_file_play(tab: TabClient, player: str, why: str) -> None:
    """The score is that of the function, for the side to move after the depth; a chosen move counts as even."""
    moved = tab.ask("think", game="draughts", player=player, moves=["11-15"])
    legal = [move["text"] for move in tab.ask("show", game="draughts", moves=["11-15"])["position"]["legal"]]
    assert moved["move"] in legal
    assert moved["why"].startswith(why)
    if player.startswith("own-last"):
        assert moved["move"] == legal[-1]


def test_a_function_of_a_plugin_file_that_raises_is_named(tab: TabClient) -> None:
    answer = tab.ask("think", game="draughts", player="minimax:depth=1 + own-broken")
    assert "own.broken raised ZeroDivisionError: division by zero" in answer["error"]


def test_a_player_moves_and_gives_hints(tab: TabClient) -> None:
    moved = tab.ask("think", **DRAUGHTS, moves=["11-15"])
    legal = [move["text"] for move in tab.ask("show", game="draughts", moves=["11-15"])["position"]["legal"]]
    assert moved["move"] in legal
    hint = tab.ask("hint", **DRAUGHTS, moves=["11-15"])
    assert hint["line"][0] == hint["move"]
    assert tab.ask("think", **DRAUGHTS, moves=["11-15", "22-18", "15x22"])["move"] in ("25x18", "26x17")


def test_an_analysis_deepens_until_it_is_cancelled(tab: TabClient) -> None:
    number = tab.send("analyse", **DRAUGHTS)
    depths = []
    while not depths or depths[-1] < 6:
        update = tab.receive()
        assert "error" not in update, update
        if "moves" in update:
            depths.append(update["moves"][0]["depth"])
            assert len(update["moves"]) == 7
    tab.socket.send(f'{{"cancel": {number}}}')
    assert "pieces" in tab.ask("show", game="draughts")["position"]


def test_a_player_without_scores_shows_none(tab: TabClient) -> None:
    asked = {"game": "draughts", "player": "random"}
    number = tab.send("analyse", **asked)
    while "moves" not in (update := tab.receive()):
        assert "error" not in update, update
    assert {(one["score"], one["text"]) for one in update["moves"]} == {(None, "no score")}
    tab.socket.send(f'{{"cancel": {number}}}')
    judged = tab.ask("judge", **asked, moves=["11-15", "22-18"])
    assert (judged["scores"], judged["accuracy"]) == ([], [[None] * 4] * 2)


def test_a_cancelled_search_ends(tab: TabClient, work: Path) -> None:
    """A further one is answered when they are cancelled; they would go on for hours."""
    for number in think_in_every_thread(tab, work):
        tab.socket.send(f'{{"cancel": {number}}}')
    assert tab.ask("think", **DRAUGHTS, moves=["11-15"])["move"]


def test_searches_of_a_closed_tab_end(server: WebServer, tab: TabClient, work: Path) -> None:
    with server.tab() as other:
        think_in_every_thread(other, work)
    assert tab.ask("think", **DRAUGHTS, moves=["11-15"])["move"]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", "Expecting value"),
        ("{", "Expecting"),
        ("[" * 100_000, "nested too deeply"),
        ("null", "expected an object"),
        ("[1]", "expected an object"),
        ("{}", "id"),
        ('{"id": "x", "do": "show"}', "id"),
        ('{"id": 1, "do": 3}', "do"),
        ('{"id": 1, "do": "shov"}', "did you mean 'show'"),
        ('{"id": 1, "do": "show"}', "game"),
        ('{"id": 1, "do": "show", "game": 5}', "game"),
        ('{"id": 1, "do": "show", "game": "chess"}', "chess"),
        ('{"id": 1, "do": "show", "game": "draughts", "moves": "11-15"}', "moves"),
        ('{"id": 1, "do": "show", "game": "draughts", "moves": [1]}', "moves"),
        ('{"id": 1, "do": "show", "game": "draughts", "moves": ["1-32"]}', "not legal"),
        ('{"id": 1, "do": "show", "game": "draughts", "start": "nonsense"}', "FEN"),
        ('{"id": 1, "do": "think", "game": "draughts", "player": "nobody"}', "nobody"),
        ('{"id": 1, "do": "think", "game": "draughts", "player": "/etc"}', "not below a folder"),
        ('{"id": 1, "do": "think", "game": "draughts", "player": "engine:command=x,protocol=gtp"}', "starts programs"),
        ('{"id": 1, "do": "think", "game": "draughts", "player": "random + chinook:path=/etc"}', "not below a folder"),
        ('{"id": 1, "do": "show", "game": "draughts:repetition=\'/etc\'"}', "not below a folder"),
        ('{"id": 1, "do": "think", "game": "draughts", "player": "\\u0000"}', "is not a folder"),
        ('{"id": 1, "do": "think", "game": "draughts", "player": "\\ud800"}', "is not a folder"),
        ('{"id": 1, "do": "think", "game": "draughts", "limits": {"depth": -1}}', "depth"),
        ('{"id": 1, "do": "think", "game": "draughts", "limits": {"moves": 1}}', "moves"),
        ('{"id": 1, "do": "analyse", "game": "draughts", "start": "B:W30:B"}', "over"),
        ('{"cancel": "x"}', "cancel"),
        ('{"id": true, "do": "show", "game": "draughts"}', "id"),
    ],
)
def test_a_malformed_message_ends_that_message_and_not_the_server(tab: TabClient, text: str, error: str) -> None:
    tab.socket.send(text)
    answer = tab.receive()
    while "error" not in answer:
        answer = tab.receive()
    assert error in answer["error"]
    assert "\n" not in answer["error"]
    assert len(tab.ask("show", game="draughts")["position"]["legal"]) == 7


def test_half_of_a_surrogate_pair_does_not_end_the_tab(tab: TabClient) -> None:
    saved = tab.ask("save", game="draughts", moves=["11-15"], players=["\ud800", "b"])
    assert '[Black "\ud800"]' in saved["text"]
    assert tab.ask("show", game="draughts")["position"]["turn"] == 0


def test_a_game_has_a_limited_number_of_moves(tab: TabClient) -> None:
    assert "at most 4096" in tab.ask("show", game="draughts", moves=["11-15"] * 5000)["error"]


def test_a_tab_has_a_limited_number_of_requests_at_a_time(tab: TabClient) -> None:
    numbers = [tab.send("think", **ENDLESS) for _ in range(20)]
    answers = [tab.receive() for _ in range(4)]
    assert {answer["id"] for answer in answers} <= set(numbers)
    assert all("16 requests" in answer["error"] for answer in answers)


def test_a_binary_message_ends_only_its_tab(server: WebServer, tab: TabClient) -> None:
    with server.tab() as other:
        other.socket.send(b"\x00\xff")
    assert tab.ask("show", game="draughts")["position"]["turn"] == 0


def test_a_message_that_is_too_large_ends_only_its_tab(server: WebServer, tab: TabClient) -> None:
    with server.tab() as other:
        other.socket.send("x" * (2 << 20))
        with pytest.raises(ConnectionClosed, match="1009"):
            other.receive()
    assert tab.ask("show", game="draughts")["position"]["turn"] == 0


def test_a_game_is_saved_only_with_a_winner_that_it_can_have(tab: TabClient) -> None:
    answer = tab.ask("save", game="draughts", moves=["11-15"], winner=-1, reason="resignation")
    assert answer["error"].startswith("winner = -1: must be one of None, 0, 1")
