"""The secret that a browser keeps in a cookie: the same after a restart, and readable by its owner alone."""

import os
import stat
import sys
from pathlib import Path

import pytest

from gameforge.web.access import Access

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="modes of files are those of Unix")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_it_is_kept_and_private_from_the_beginning(tmp_path: Path) -> None:
    path = tmp_path / "state" / "web-secret"
    before = os.umask(0)
    try:
        made = Access(path)
    finally:
        os.umask(before)
    assert mode(path) == 0o600
    assert Access(path).knows(made.secret)


def test_a_file_that_others_could_read_becomes_private(tmp_path: Path) -> None:
    path = tmp_path / "web-secret"
    made = Access(path)
    path.chmod(0o644)
    assert Access(path).secret == made.secret
    assert mode(path) == 0o600
