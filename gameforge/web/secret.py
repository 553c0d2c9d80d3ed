"""The token in the printed address, and the secret that a browser keeps in a cookie.

The token works once. Whoever opens the address gets the cookie, whose secret outlives the server, so that an open page
can reconnect after a restart. SameSite=Strict keeps the browser from sending it on behalf of another site.
"""

import contextlib
import hmac
import os
import secrets
from pathlib import Path

from gameforge.errors import GameforgeError
from gameforge.storage.atomic import write_atomically

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
        """Return whether a cookie holds the secret."""
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
