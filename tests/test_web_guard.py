"""Who may call the browser board's server, and what it serves."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from web_server import WebServer
from websockets.exceptions import InvalidStatus


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    made = WebServer("--allow-host=board.example", state=tmp_path_factory.mktemp("state"))
    yield made
    made.close()


def refusal(server: WebServer, **headers: str) -> str:
    """The status with which the server refuses a websocket."""
    with pytest.raises(InvalidStatus) as refused, server.tab(**headers):
        pass
    return str(refused.value.response.status_code)


def test_the_token_gives_a_strict_cookie_and_works_once(tmp_path: Path) -> None:
    server = WebServer(state=tmp_path)
    try:
        path = server.url.removeprefix(f"http://{server.host}")
        assert server.get(path, method="HEAD").status == 405  # a preview of the link does not use it up
        for wrong in ("/enter", "/enter?token=", "/enter?token=wrong", f"{path}x"):
            refused = server.get(wrong)
            assert refused.status == 403
            assert b"not the token of this server" in refused.read()
        first = server.get(path)
        cookie = str(first.headers["Set-Cookie"])
        assert first.status == 303
        assert first.headers["Location"] == "/"
        assert "HttpOnly" in cookie
        assert "samesite=strict" in cookie.lower()
        second = server.get(path)
        assert second.status == 403
        assert b"has been used" in second.read()
        assert b"not the token" in server.get("/enter?token=wrong").read()
        assert server.get(path, Cookie=cookie.partition(";")[0]).status == 303  # the same browser may open it again
    finally:
        server.close()


@pytest.mark.parametrize("path", ["/", "/client/main.js", "/socket", "/nothing"])
def test_nothing_is_served_without_the_cookie(server: WebServer, path: str) -> None:
    for cookie in ("", f"gameforge-{server.port}=wrong", "\x01=;;=", f"gameforge-1={server.cookie.partition('=')[2]}"):
        answer = server.get(path, Cookie=cookie)
        assert answer.status == 403
        assert b"Open the address" in answer.read()


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "[", "", "127.0.0.1.evil.example"])
def test_a_foreign_host_is_refused(server: WebServer, host: str) -> None:
    answer = server.get("/", Host=host, Cookie=server.cookie)
    assert answer.status in (400, 403)
    if host:
        assert b"--allow-host" in answer.read()


def test_further_hosts_can_be_allowed(server: WebServer) -> None:
    for name in ("board.example", "localhost", "[::1]", "BOARD.example"):
        assert server.get("/", Host=f"{name}:{server.port}", Cookie=server.cookie).status == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "", "http://127.0.0.1:1", "http://[", "file://"])
def test_a_websocket_of_a_foreign_origin_is_refused(server: WebServer, origin: str) -> None:
    assert refusal(server, Origin=origin) == "403"


def test_a_websocket_without_the_cookie_is_refused(server: WebServer) -> None:
    assert refusal(server, Cookie="") == "403"


def test_a_post_of_a_foreign_origin_is_refused(server: WebServer) -> None:
    for origin in ({}, {"Origin": "http://evil.example"}):
        assert server.get("/", method="POST", body=b"x", Cookie=server.cookie, **origin).status == 403


@pytest.mark.parametrize("path", ["/", "/client/main.js", "/nothing"])
def test_answers_have_a_policy_without_inline_scripts(server: WebServer, path: str) -> None:
    headers = server.get(path, Cookie=server.cookie).headers
    policy = dict(part.split(" ", 1) for part in headers["Content-Security-Policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(
    "path", ["/client/../site.py", "/client/%2e%2e/site.py", "/client//etc/passwd", "/client/..%2fsite.py"]
)
def test_files_outside_the_client_are_not_served(server: WebServer, path: str) -> None:
    assert server.get(f"/client/{path}", Cookie=server.cookie).status == 404
