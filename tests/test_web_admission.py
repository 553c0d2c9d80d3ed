"""What a page of the browser board may name: no programs, and no files outside the folder of runs."""

from pathlib import Path

import pytest

from gameforge.discovery.registry import default_registry
from gameforge.errors import GameforgeError
from gameforge.web.site import Admission, Options

OUTSIDE = "not below a folder given at the start"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with a folder of runs, a player in it, and a file and folders outside."""
    for folder in ("runs/one", "runs/a + b", "outside", "x + y", "material"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "runs" / "saved.toml").touch()
    (tmp_path / "secret").touch()
    (tmp_path / "runs" / "link").symlink_to(tmp_path / "outside")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def admission(runs: str | None = "runs", player: str = "", game: str | None = None) -> Admission:
    return Admission(default_registry(), Options(runs=None if runs is None else Path(runs), player=player, game=game))


@pytest.mark.parametrize(
    "text",
    [
        'engine:command="touch /tmp/x",protocol=gtp',
        "engines/engine:command=x,protocol=gtp",
        "runs/one + engine:command=x,protocol=gtp",
        "handicap:searcher=engine + material",
        "handicap:searcher='engine:command=x,protocol=gtp' + material",
        "handicap:searcher={use='engine',command='x',protocol='gtp'} + material",
        "handicap:searcher={use='handicap',searcher='engines/engine:command=x,protocol=gtp'} + material",
    ],
)
def test_a_page_may_not_start_programs(here: Path, text: str) -> None:
    with pytest.raises(
        GameforgeError, match=r"a page may not use '(engines/)?engine', because it starts programs; .* --player"
    ):
        admission().require_player(text)


@pytest.mark.parametrize("runs", ["runs", ".", None])
@pytest.mark.parametrize(
    "text",
    [
        "/etc",
        "..",
        "~",
        "/nowhere/player.toml",
        "random + chinook:path=/etc",
        "random + egdb_chinook/chinook:path='/etc/passwd'",
        "random + chinook:path=~",
        "random + chinook:path='~root'",
        "random + chinook:path=../other",
        "random + gated:oracle='chinook:path=/etc'",
        "random + gated:oracle={use='chinook',path='/etc'}",
        "random + as-played:games=['/etc/passwd']",
        "random + book:db=/etc/passwd",
        "ensemble:players=/etc/passwd",
        "vote:players=['strong','/etc']",
        "vote:players=[[{deep='/etc'}]]",
        "alphabeta + /etc + material",
    ],
)
def test_a_page_may_not_name_files_outside_the_runs(here: Path, text: str, runs: str | None) -> None:
    with pytest.raises(GameforgeError, match=OUTSIDE):
        admission(runs).require_player(text)


@pytest.mark.parametrize(
    "text",
    [
        "outside",
        "x + y",
        "material",
        "runs/link",
        "runs/../outside",
        "random + chinook:path=secret",
        "ensemble:players=outside",
        "vote:players=['runs/one','runs/link']",
        "elsewhere.toml",
    ],
)
def test_neither_may_it_name_them_by_relative_paths_or_links(here: Path, text: str) -> None:
    with pytest.raises(GameforgeError, match=OUTSIDE):
        admission().require_player(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "random",
        "strong:level=3",
        "strong + chinook:pieces=3",
        "alphabeta:depth=4 + material",  # a folder of this name stands beside the runs
        "search_minimax/alphabeta:depth=4 + draughts/material",
        "strong + gated:oracle='chinook:pieces=3'",
        "patterns:patterns='lines 2; cells 1 5',codes=['own man'],phases=[4,12]",
        "vote:players=['strong','runs/one']",
        "vote:players=['strong:level=3','runs/one']",
        "ensemble:players=runs + random",
        "random + chinook:path=runs/one",
        "random + gated:oracle='chinook:path=runs/one'",
        "runs/one",
        "runs/one + alphabeta:depth=3",
        "runs/a + b",
        "runs/saved.toml",
        "nobody",
        "\x00",
        "\ud800",
        "a" * 5000,
    ],
)
def test_components_and_players_below_the_runs_are_allowed(here: Path, text: str) -> None:
    admission().require_player(text)


def test_the_path_of_a_player_begins_at_the_runs_or_at_the_working_directory(here: Path) -> None:
    (here / "runs" / "one" / "player").mkdir()
    assert admission().located("one/player") == "runs/one/player"
    for text in ("runs/one/player", "one/other", "one", "strong:level=2", "random + x/y", "", "\0/", "outside"):
        assert admission().located(text) == text
    assert admission(runs=None).located("one/player") == "one/player"
    with pytest.raises(GameforgeError, match=OUTSIDE):
        admission().require_player(admission().located("../outside"))


def test_a_path_below_the_runs_must_exist(here: Path) -> None:
    """A text with a slash may be more than a path, such as `loader(/etc/passwd)`."""
    for text in ("runs/none", "random + chinook:path='runs/x(/etc/passwd)'"):
        with pytest.raises(GameforgeError, match="does not exist"):
            admission().require_player(text)


def test_what_the_server_was_started_with_is_allowed(here: Path) -> None:
    engine = "engine:command=x,protocol=gtp"
    admission(player=engine).require_player(engine)
    admission(player="/etc").require_player("/etc")
    admission(game="toy:file=/etc/passwd").require_game("toy:file=/etc/passwd")
    with pytest.raises(GameforgeError, match="starts programs"):
        admission(player=engine).require_player(f"{engine},time=1")


def test_parameters_of_games_are_checked_too(here: Path) -> None:
    admission().require_game("draughts:repetition=0")
    with pytest.raises(GameforgeError, match=OUTSIDE):
        admission().require_game("toy:file=/etc/passwd")


def test_what_is_no_path_is_not_readable(here: Path) -> None:
    assert admission().is_readable(Path("runs/one"))
    for path in ("\x00", "runs/\x00", "\ud800" * 2, "runs/link/x", "."):
        assert not admission().is_readable(Path(path)), path
