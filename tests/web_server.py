"""A server of the browser board for tests: a child process, and a client that speaks to it without a browser."""

import contextlib
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from websockets.sync.client import ClientConnection, connect

CONNECT_FOUR = Path(__file__).parents[1] / "examples" / "third_party_plugin" / "gameforge_connect_four.py"
PATIENCE = 300.0


class WebServer:
    """A running `gameforge web`."""

    def __init__(self, *options: str, state: Path, port: int = 0, plugins: Sequence[Path] = ()) -> None:
        brought = [f"--plugin={plugin}" for plugin in (CONNECT_FOUR, *plugins)]
        self._command = [sys.executable, "-m", "gameforge", *brought, "web", "--no-open", *options]
        self.state = state
        self._environment = {**os.environ, "XDG_STATE_HOME": str(state), "PYTHONUNBUFFERED": "1"}
        self.port = port
        self.lines: list[str] = []
        self.start()

    def start(self) -> None:
        """Start the server, on the same port as before if there was one."""
        command = [*self._command, f"--port={self.port}"]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=self._environment)
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.lines.append(line)
            found = re.search(r"http://\S+", line)
            if found:
                self.url = found[0]
                break
        else:
            raise AssertionError("".join(self.lines))
        self.port = urlsplit(self.url).port or 0
        threading.Thread(target=self._read, args=(self.process.stderr,), daemon=True).start()

    def _read(self, stream: Any) -> None:
        self.lines.extend(stream)

    def stop(self) -> int:
        """Press Ctrl-C and return the exit code."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(PATIENCE)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(PATIENCE)

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    def get(self, path: str, *, method: str = "GET", body: bytes = b"", **headers: str) -> http.client.HTTPResponse:
        """Send a request; header names have underscores for hyphens."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        sent = {"Host": self.host, **{name.replace("_", "-"): value for name, value in headers.items()}}
        connection.request(method, path, body=body or None, headers=sent)
        return connection.getresponse()

    @property
    def cookie(self) -> str:
        """The cookie that the address with the token gives, as a header."""
        if not hasattr(self, "_cookie"):
            answer = self.get(self.url.removeprefix(f"http://{self.host}"))
            self._cookie = str(answer.headers["Set-Cookie"]).partition(";")[0]
        return self._cookie

    @contextlib.contextmanager
    def tab(self, **headers: str) -> Iterator["TabClient"]:
        """Open a tab without a browser."""
        sent = {"Cookie": self.cookie, "Origin": f"http://{self.host}", **headers}
        origin = sent.pop("Origin")
        with connect(
            f"ws://{sent.pop('Host', self.host)}/socket" if "Host" not in sent else f"ws://{self.host}/socket",
            origin=origin or None,  # type: ignore[arg-type]
            additional_headers=sent,
            open_timeout=PATIENCE,
        ) as socket:
            yield TabClient(socket)


class TabClient:
    """A tab that sends requests and reads answers."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.number = 0

    def send(self, name: str, **fields: object) -> int:
        """Send a request and return its number."""
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "do": name, **fields}))
        return self.number

    def receive(self) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self.socket.recv(PATIENCE))
        return answer

    def ask(self, name: str, **fields: object) -> dict[str, Any]:
        """Send a request and return its last answer."""
        number = self.send(name, **fields)
        while True:
            answer = self.receive()
            if answer["id"] == number and answer.get("done", True):
                return answer
