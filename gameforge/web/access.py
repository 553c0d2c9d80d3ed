"""Who may call the server: the token in the printed address, the secret in a browser's cookie, and the guard.

The guard checks Host, Origin and cookie before every request, and sets headers after it.
"""

import contextlib
import hmac
import os
import secrets
from collections.abc import Iterable
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gameforge.errors import GameforgeError
from gameforge.storage.files import write_atomically

_BYTES = 32
_PRIVATE = 0o600
"""Mode of the file: nobody else may read it."""


def secret_file() -> Path:
    """Return the file that keeps the secret of this user."""
    import platformdirs

    return platformdirs.user_state_path("gameforge") / "web-secret"


class Access:
    """Decides who is let in. `path`: the file of the secret, which is made if it does not exist."""

    def __init__(self, path: Path) -> None:
        self.token = secrets.token_urlsafe(_BYTES)
        self.secret = _read_secret(path)
        self._unused = True

    def is_token(self, token: str) -> bool:
        """Return whether this is the token, used or not."""
        return hmac.compare_digest(token.encode(), self.token.encode())

    def redeem(self, token: str) -> bool:
        """Return whether this is the token and has not been used; it is then used up."""
        right = self._unused and self.is_token(token)
        if right:
            self._unused = False
        return right

    def knows(self, secret: str) -> bool:
        return hmac.compare_digest(secret.encode(), self.secret.encode())


def _read_secret(path: Path) -> str:
    with contextlib.suppress(OSError, UnicodeDecodeError):
        found = path.read_text(encoding="ascii").strip()
        if len(found) >= _BYTES:
            with contextlib.suppress(OSError):
                os.chmod(path, _PRIVATE)
            return found
    made = secrets.token_urlsafe(_BYTES)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, made.encode(), mode=_PRIVATE)
    except OSError as error:
        raise GameforgeError(f"cannot write {path}: {error.strerror}") from error
    return made


_HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-cache",
}
LOOPBACK = ("localhost", "127.0.0.1", "::1")
ENTRANCE = "/enter"
"""The path of the address with the token, which needs no cookie."""


def cookie_name(port: int) -> str:
    """Return the name of the cookie; browsers share cookies between the ports of a host."""
    return f"gameforge-{port}"


class Guard:
    """Middleware that refuses foreign requests. hosts: allowed names of this computer, without the port."""

    def __init__(self, app: ASGIApp, access: Access, port: int, hosts: Iterable[str]) -> None:
        self._app = app
        self._access = access
        self._port = port
        self._hosts = {host.lower() for host in hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        reason = self._reason(scope)
        if reason is None:
            await self._app(scope, receive, send_with_headers)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 4403, "reason": reason})
        else:
            await PlainTextResponse(reason, 403)(scope, receive, send_with_headers)

    def _reason(self, scope: Scope) -> str | None:
        """Return why the request is refused; None if it is allowed."""
        headers = Headers(scope=scope)
        if not self._is_own(f"//{headers.get('host', '')}"):
            return "Foreign host. Start gameforge web with --allow-host NAME to allow another name of this computer."
        needs_origin = scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD")
        origin = headers.get("origin")
        if (origin is not None or needs_origin) and not self._is_own(origin or ""):
            return "Foreign origin. Only the page of gameforge web itself may call this address."
        if scope["path"] != ENTRANCE and not self._has_cookie(headers):
            return "Open the address that gameforge web prints in the terminal; it holds the key to this page."
        return None

    def _is_own(self, url: str) -> bool:
        try:
            parts = urlsplit(url)
            return (parts.hostname or "").lower() in self._hosts and (parts.port or 80) == self._port
        except ValueError:
            return False

    def _has_cookie(self, headers: Headers) -> bool:
        cookies: SimpleCookie = SimpleCookie()
        try:
            cookies.load(headers.get("cookie", ""))
        except CookieError:
            return False
        found = cookies.get(cookie_name(self._port))
        return found is not None and self._access.knows(found.value)
