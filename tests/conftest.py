"""Fixtures of the core's tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from plugin_site import Site, forget


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """A fresh site; the modules imported from it are forgotten afterwards."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    yield Site(folder)
    forget(tmp_path)
