"""Windows and macOS, as far as Linux shows them: what only POSIX has is used in few places, each with a fallback."""

import ast
import os
import re
from collections import defaultdict
from pathlib import Path

import pytest
from built_in import BUILT_IN

from gameforge import locks
from gameforge.cli import terminal
from gameforge.kernel import assembly
from gameforge.kernel.compile import cache
from gameforge.storage import folder

ROOT = Path(__file__).resolve().parents[1]
SOURCES = [ROOT / "gameforge", *(path / f"gameforge_{name}" for name, path in BUILT_IN.items())]
MODULES = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"}
NAMES = {
    "os": {"chown", "fchmod", "fork", "geteuid", "getpgid", "getuid", "killpg", "mkfifo", "nice", "posix_fallocate"}
    | {"openpty", "setsid", "sched_getaffinity", "sched_setaffinity", "wait", "waitpid"},
    "signal": {"SIGHUP", "SIGKILL", "SIGQUIT", "SIGUSR1", "SIGUSR2", "alarm", "pause"},
    "mmap": {"MADV_HUGEPAGE", "MAP_ANONYMOUS", "MAP_PRIVATE"},
}


def uses(path: Path) -> set[str]:
    """The names in a file that Windows lacks."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name in MODULES}
        elif isinstance(node, ast.ImportFrom) and node.module in MODULES:
            found.add(node.module)
        elif isinstance(node, ast.Attribute) and node.attr in NAMES.get(ast.unparse(node.value), ()):
            found.add(ast.unparse(node))
    return found


def test_the_page_lists_all_that_windows_lacks() -> None:
    """A new use needs a fallback, and a row that says what it is."""
    page = (ROOT / "docs" / "explanations" / "scope.md").read_text(encoding="utf-8")
    rows = defaultdict(set)
    for file, names in re.findall(r"^\| `(\S+\.py)` \| (.*?) \|", page, re.MULTILINE):
        rows[file] |= set(re.findall(r"`([\w.]+)`", names))
    files = [path for source in SOURCES for path in source.rglob("*.py")]
    used = {path.relative_to(ROOT).as_posix(): uses(path) for path in files}
    assert dict(rows) == {file: names for file, names in used.items() if names}


@pytest.fixture
def windows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What these modules see on Windows; pytest makes its folder before."""
    for name in ("getuid", "fchmod", "nice", "posix_fallocate"):
        monkeypatch.delattr(os, name)
    for name in NAMES["mmap"]:
        monkeypatch.delattr(f"mmap.{name}")
    monkeypatch.setattr(locks, "fcntl", None)
    for module in (locks, folder, cache):
        monkeypatch.setattr(module, "LOCKS", False)


@pytest.mark.usefixtures("windows")
class TestWithoutPosix:
    def test_folders_are_used_without_a_lock(self, tmp_path: Path) -> None:
        with folder.locked(tmp_path), folder.locked(tmp_path):
            assert not folder.is_busy(tmp_path)

    def test_folders_of_kernels_are_trusted(self, tmp_path: Path) -> None:
        tmp_path.chmod(0o777)
        assert cache._trusted.__wrapped__(tmp_path)

    def test_allowed_programs_are_remembered(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """The mode of a file on Windows says that everybody can write to it."""
        file = tmp_path / "allowed-programs"
        file.write_text("digest\n")
        file.chmod(0o666)
        monkeypatch.setattr(terminal, "_allowed_file", lambda: file)
        assert terminal._allowed_programs() == {"digest"}

    def test_tables_are_mapped(self) -> None:
        with assembly._mapped(8192) as memory:
            assert memory[:8] == bytes(8)

    def test_databases_are_mapped(self, tmp_path: Path) -> None:
        from gameforge_egdb_chinook.codes import mapped

        assert mapped(tmp_path / "values", 100).tolist() == [0] * 100
