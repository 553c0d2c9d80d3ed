"""The command `gameforge web`: its end, its errors, and files below the folders that it was given."""

import json
import platform
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import sleepy
from plugin_site import Site
from sleepy import evaluations
from web_server import WebServer

import gameforge as gf


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("below") / "runs"


@pytest.fixture(scope="module")
def server(runs: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    """One server for the tests that do not end it."""
    runs.mkdir()
    made = WebServer("--game=draughts", f"--runs={runs}", state=tmp_path_factory.mktemp("state"))
    yield made
    made.close()


def test_a_wrong_option_or_a_port_in_use_is_one_sentence(site: Site) -> None:
    file = site.module("file", "")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        errors = {
            "--game=chess": "chess",
            "--runs=nowhere": "the folder nowhere does not exist",
            f"--runs={file}": f"{file} is a file; name a folder",
            "--host=no.such.host.invalid": "choose another with --host",
            "--host=": "the host is empty; give an address, such as 127.0.0.1, with --host",
            f"--port={port}": f"cannot use port {port} of 127.0.0.1",
        }
        called = site.commands(*(["web", "--no-open", option] for option in errors))
    for (code, printed), error in zip(called, errors.values(), strict=True):
        assert code == 2
        assert error in printed
        assert "Traceback" not in printed
    assert "choose another with --port" in called[-1][1]


def test_only_this_computer_can_call_unless_told_otherwise(server: WebServer) -> None:
    with pytest.raises(ConnectionRefusedError):  # another address of this computer
        socket.create_connection(("127.0.0.2", server.port))


def test_without_a_browser_the_address_is_enough(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "gameforge", "web", "--port=0", "--game=draughts"]
    environment = {"PATH": str(tmp_path), "HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path)}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as server:
        assert server.stderr is not None
        assert any("No browser was found; open the address yourself" in line for line in server.stderr)
        server.send_signal(signal.SIGINT)
        assert "Traceback" not in server.stderr.read()


def test_ctrl_c_during_a_search_ends_the_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.setenv("SLEEPY", str(work))
    server = WebServer("--game=draughts", state=tmp_path, plugins=[Path(sleepy.__file__)])
    try:
        with server.tab() as tab:
            tab.send("think", game="draughts", player="alphabeta:time=10000 + sleepy")
            tab.send("analyse", game="draughts", player="alphabeta + sleepy")
            while len(evaluations(work)) < 2:
                time.sleep(0.01)
            assert server.stop() in (0, 130)
        assert not any("Traceback" in line for line in server.lines)
    finally:
        server.close()


def test_runs_and_matches_are_followed_and_nothing_outside_is_read(
    server: WebServer, runs: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    gf.match("random", "random", 2, game="draughts", out=runs / "m", progress=False)
    (runs / "broken").mkdir()
    (runs / "broken" / "run.json").write_text("{")
    (runs / "link").symlink_to(outside)
    with server.tab() as tab:
        listed = tab.ask("folders")
        assert [(each["path"], each["kind"], each["game"]) for each in listed["folders"]] == [
            ("m", "match", "draughts")
        ]
        assert len(listed["damaged"]) == 1
        assert "broken" in listed["damaged"][0]
        view = tab.ask("match", path="m", game="draughts")
        assert view["over"]
        assert view["result"]["games"] == 2
        games = tab.ask("games", path="m", game="draughts")["games"]
        assert games[1]["moves"] == view["last"]["moves"]
        for path in ("../outside", "link", "/etc", "m/../../outside", "\x00", "\ud800", "x" * 5000):
            assert "is not a folder below" in tab.ask("games", path=path, game="draughts")["error"]
            assert "is not a folder below" in tab.ask("run", path=path)["error"]
        answer = tab.ask("start-match", game="draughts", first="random", second="random", games=2, out="../x")
        assert "not below a folder" in answer["error"]
        assert "not below a folder" in tab.ask("think", game="draughts", player=str(outside))["error"]
    assert not any("Traceback" in line for line in server.lines)


def test_files_of_games_are_read_and_written(server: WebServer) -> None:
    with server.tab() as tab:
        variation = {"moves": ["22-18", "15x22"], "comments": {"1": "<i>sharp</i>"}, "marks": {"1": "!"}}
        notes = {"comments": {"1": "a <b> comment"}, "marks": {"0": "!"}, "variations": {"1": [variation]}}
        game = {"game": "draughts", "moves": ["11-15", "23-19"]}
        saved = tab.ask("save", **game, notes=notes)
        wrong = {"variations": {"1": [{"moves": ["1-32"]}]}}
        assert "not legal" in tab.ask("save", **game, notes=wrong)["error"]
        assert "numbers as keys" in tab.ask("save", **game, notes={"marks": {"x": "!"}})["error"]
        endless: dict[str, object] = {"moves": ["11-15"]}
        for _ in range(150):
            endless = {"moves": ["11-15"], "variations": {"0": [endless]}}
        tab.ask("save", **game, notes={"variations": {"0": [endless]}})  # whatever the answer is, the tab lives on
        assert tab.ask("show", **game)["position"]["turn"] == 0
    assert saved["name"] == "games.pdn"
    assert "(1... 22-18 {<i>sharp</i>} 2. 15x22!)" in saved["text"]

    def upload(name: str, body: bytes) -> tuple[int, bytes]:
        answer = server.get(
            f"/games?game=draughts&name={name}",
            method="POST",
            body=body,
            Cookie=server.cookie,
            Origin=f"http://{server.host}",
        )
        return answer.status, answer.read()

    status, found = upload("a.pdn", saved["text"].encode())
    assert status == 200
    assert b"a <b> comment" in found
    (read,) = json.loads(found)["games"]
    assert read["variations"] == {"1": [{**variation, "glyphs": {}, "variations": {}, "after": ""}]}
    status, found = upload("../../a.pdn", b"\xff\xfe\x00")
    assert status == 400
    assert b"error" in found
    assert upload("a.pdn", b"")[0] == 400


_ARENAS = """
import ctypes, tempfile, threading
from gameforge.web.serving import limit_arenas

def allocate():
    taken = libc.malloc(100)
    together.wait()
    libc.free(taken)

libc, together = ctypes.CDLL(None), threading.Barrier(16)
libc.malloc.restype, libc.free.argtypes, libc.fdopen.restype = ctypes.c_void_p, [ctypes.c_void_p], ctypes.c_void_p
libc.malloc_info.argtypes, libc.fflush.argtypes = [ctypes.c_int, ctypes.c_void_p], [ctypes.c_void_p]
limit_arenas()
threads = [threading.Thread(target=allocate) for _ in range(16)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
with tempfile.TemporaryFile() as file:
    stream = libc.fdopen(file.fileno(), b"w")
    libc.malloc_info(0, stream)
    libc.fflush(stream)
    file.seek(0)
    print(file.read().count(b"<heap nr="))
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries have no such regions")
def test_the_threads_of_the_server_share_two_regions_of_memory() -> None:
    shown = subprocess.run([sys.executable, "-c", _ARENAS], capture_output=True, text=True, check=True)
    assert int(shown.stdout) <= 2
