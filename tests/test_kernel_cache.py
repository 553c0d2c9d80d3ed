"""Machine code on disk: it is reused, but never after a change of its sources."""

import importlib.util
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from copies import copied, copies_this_process
from gameforge_retrograde.kernels import stored_value
from numpy.typing import NDArray
from toy_site import python

from gameforge.errors import GameforgeError
from gameforge.kernel.compile import cache, jit
from gameforge.kernel.compile.functions import call, compiled_function
from gameforge.kernel.compile.jit import on_compilation

GEN = "\n\ndef gen(rules, s, moves):\n    return {value}\n"
INLINE = "from gameforge.kernel.compile.jit import inline\n\n@inline\ndef {name}(s):\n    return {value}\n"
SOURCES = {
    "a helper by name": {
        "hexes/rules.py": "from hexes.helpers import count" + GEN.format(value="count(s)"),
        "hexes/helpers.py": INLINE.format(name="count", value="s[0] + NUMBER"),
    },
    "a helper by its module": {
        "hexes/rules.py": "from hexes import helpers" + GEN.format(value="helpers.count(s)"),
        "hexes/helpers.py": INLINE.format(name="count", value="s[0] + NUMBER"),
    },
    "a helper two packages away": {
        "hexes/rules.py": "from hexes.middle import middle" + GEN.format(value="middle(s)"),
        "hexes/middle.py": "import distant\n" + INLINE.format(name="middle", value="distant.count(s)"),
        "distant.py": INLINE.format(name="count", value="s[0] + NUMBER"),
    },
    "a constant of another package": {
        "hexes/rules.py": "from distant import SIZE" + GEN.format(value="s[0] + SIZE"),
        "distant.py": "SIZE = NUMBER\n",
    },
    "a helper in a module of a package": {
        "hexes/rules.py": "import distant.inner" + GEN.format(value="distant.inner.count(s)"),
        "distant/inner.py": INLINE.format(name="count", value="s[0] + NUMBER"),
    },
    "a helper that a closure holds": {
        "hexes/rules.py": "import distant\n\ndef made(count):\n    def gen(rules, s, moves):\n        return count(s)"
        "\n    return gen\n\ngen = made(distant.count)\n",
        "distant.py": INLINE.format(name="count", value="s[0] + NUMBER"),
    },
}


def write(folder: Path, what: str, number: int) -> None:
    for name, source in SOURCES[what].items():
        (folder / name).parent.mkdir(exist_ok=True, parents=True)
        (folder / name).write_text(source.replace("NUMBER", str(number)))


@pytest.fixture(scope="module")
def compiler() -> None:
    """Load numba's compiler here, once for all copies of this process."""
    numba.njit(lambda number: np.zeros(1) + number)(0)


def answer(folder: Path) -> list[object]:
    """What the rules in the folder answer, after "compiling" if they were compiled."""
    sys.path.insert(0, str(folder))
    sys.dont_write_bytecode = True  # Python itself takes it for current if an edit follows within a second
    seen: list[object] = []
    with on_compilation(lambda function, seconds: seen or seen.append("compiling")):
        gen = compiled_function("gen", importlib.import_module("hexes.rules").gen)
    return [*seen, call(gen, *(np.zeros(1, np.uint64) for _ in range(3)))]


@copies_this_process
@pytest.mark.usefixtures("compiler")
@pytest.mark.parametrize("what", SOURCES)
def test_an_edit_is_noticed(what: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Each answer is that of a new process, which has imported none of these modules."""
    kept = str(tmp_path / "cache")
    write(tmp_path, what, 3)
    assert copied(answer, tmp_path, GAMEFORGE_CACHE=kept)[-1] == 3
    write(tmp_path, what, 4)
    assert copied(answer, tmp_path, GAMEFORGE_CACHE=kept)[-1] == 4
    assert capfd.readouterr().err == ""


class TestCopies:
    """A cache is found by content: the same sources elsewhere use what was compiled here."""

    @pytest.fixture
    def elsewhere(self, tmp_path: Path, compiler: None) -> Path:
        """A copy of rules whose machine code is in the folder `cache`."""
        write(tmp_path / "here", "a helper by name", 3)
        assert copied(answer, tmp_path / "here", GAMEFORGE_CACHE=str(tmp_path / "cache")) == ["compiling", 3]
        return Path(shutil.copytree(tmp_path / "here", tmp_path / "elsewhere"))

    @copies_this_process
    def test_a_copied_cache_is_used(self, elsewhere: Path, tmp_path: Path) -> None:
        own = shutil.copytree(tmp_path / "cache", tmp_path / "own")
        assert copied(answer, elsewhere, GAMEFORGE_CACHE=str(own)) == [3]

    @copies_this_process
    def test_what_the_users_cache_lacks_is_read_from_that_of_the_system(self, elsewhere: Path, tmp_path: Path) -> None:
        system = {"GAMEFORGE_SYSTEM_CACHE": str(tmp_path / "cache"), "GAMEFORGE_CACHE": str(tmp_path / "own")}
        before = content(tmp_path / "cache")
        assert copied(answer, elsewhere, **system) == [3]
        write(elsewhere, "a helper by name", 4)
        assert copied(answer, elsewhere, **system) == ["compiling", 4]
        assert copied(answer, elsewhere, **system) == [4]
        assert content(tmp_path / "cache") == before

    @copies_this_process
    def test_exceptions_are_those_of_the_own_checkout(self, tmp_path: Path, compiler: None) -> None:
        """Machine code names the file in which it was compiled."""
        for folder in (tmp_path / "here", tmp_path / "elsewhere"):
            (folder / "hexes").mkdir(parents=True)
            (folder / "hexes" / "rules.py").write_text(
                "def gen(rules, s, moves):\n    if s[0] == 0:\n        raise ValueError('no stones')\n    return 1\n"
            )
            text = copied(failure, folder, GAMEFORGE_CACHE=str(tmp_path / "cache"))
            assert "compiled code of hexes.rules" in text
            assert "no stones" in text
        assert len(list((tmp_path / "cache").rglob("*.nbi"))) == 1


def content(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def failure(folder: Path) -> str:
    """What is said of the exception that the rules in the folder raise."""
    with pytest.raises(GameforgeError) as raised:
        answer(folder)
    return str(raised.value)


def test_an_edit_of_a_helper_is_noticed_in_any_package_of_the_core(monkeypatch: pytest.MonkeyPatch) -> None:
    def first_value(store: NDArray[np.uint8]) -> object:
        return stored_value(store, 0)

    before = cache.cache_folder(first_value)
    digest = cache._package_digest
    edited = {"gameforge_retrograde": "edited"}
    monkeypatch.setattr(cache, "_package_digest", lambda package: edited.get(package) or digest(package))
    assert cache.cache_folder(first_value) != before


def test_the_folder_can_be_moved(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GAMEFORGE_CACHE", str(tmp_path))
    assert cache.cache_root() == tmp_path / "kernels"
    assert cache.cache_folder(test_the_folder_can_be_moved).parent == tmp_path / "kernels"


def test_a_single_file_is_keyed_by_its_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    folders = set()
    for body in ("return 1", "return 2"):
        (tmp_path / "single_rules.py").write_text(f"def gen(rules, s, moves):\n    {body}\n")
        importlib.invalidate_caches()
        sys.modules.pop("single_rules", None)
        cache._package_digest.cache_clear()
        module = importlib.import_module("single_rules")
        folders.add(cache.cache_folder(module.gen))
    del sys.modules["single_rules"]
    assert len(folders) == 2


def test_a_module_that_is_loaded_from_a_path(tmp_path: Path) -> None:
    path = tmp_path / "lost.py"
    path.write_text("def gen(rules, s, moves):\n    return 7\n")
    spec = importlib.util.spec_from_file_location("lost_module", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert call(compiled_function("gen", module.gen), *(np.zeros(1, np.uint64) for _ in range(3))) == 7


WARM = """
import sys
sys.path.insert(0, sys.argv[1])
import numpy as np
from gameforge.kernel.compile.jit import on_compilation
import warm
with on_compilation(lambda function, seconds: print("compiling")):
    print(warm.counted(np.arange(5)))
    print("linalg" if "numba.np.linalg" in sys.modules else "no linalg")
    print(warm.hashed(7))
"""
KERNELS = """
import numpy as np
from gameforge.kernel.compile.jit import kernel


@kernel
def counted(numbers):  # makes an array and raises, for which machine code calls numba's runtime
    sums = np.zeros(len(numbers) + 1, np.int64)
    for i in range(len(numbers)):
        sums[i + 1] = sums[i] + 2 * numbers[i]
    if sums[0] != 0:
        raise ValueError("no")
    return sums[-1]


@kernel
def hashed(number):  # machine code needs the secrets of numba's hash functions
    return hash("ab") != number
"""


def test_the_compiler_says_what_it_compiles_and_for_how_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit, "_TICK", 0.001)
    heard: list[tuple[str | None, float]] = []
    with on_compilation(lambda function, seconds: heard.append((function, seconds))):
        for number in range(2):
            jit.kernel(_shifted(number))(1)
    names, seconds = zip(*heard, strict=True)
    assert names.count(None) == 2
    assert names.count("shifted") > 2  # also while one function is being compiled
    assert names[-1] is None
    assert set(names) == {"shifted", None}
    assert list(seconds) == sorted(seconds)
    assert 0 <= seconds[0] < seconds[-1]


def test_a_function_of_a_component_is_named_without_its_helpers() -> None:
    shifted = numba.njit(_shifted(3))

    def outcome(rules: Any, s: Any) -> Any:
        return shifted(s[0])

    heard: list[str | None] = []
    with on_compilation(lambda function, seconds: heard.append(function)):
        jit.c_function(outcome, numba.int64(numba.types.CPointer(numba.uint64), numba.types.CPointer(numba.uint64)))
    assert set(heard) == {"outcome", None}


def test_what_fails_while_it_hears_of_a_compilation_ends_only_the_reports(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit, "_TICK", 0.001)
    threads: list[int] = []

    def heard(function: str | None, seconds: float) -> None:
        threads.append(threading.get_ident())
        if threading.current_thread() is not threading.main_thread():
            raise BrokenPipeError

    with on_compilation(heard):
        assert jit.kernel(_shifted(2))(1) == 3
    assert len(threads) == 3  # the beginning, one report of the thread, the end


class TestDamage:
    """What is damaged is compiled again; what others can write is not read, since machine code can do anything."""

    @pytest.fixture
    def compiled(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], list[str]]]:
        """Call a small kernel as a new process does; returns the names of what was compiled."""
        monkeypatch.setenv("GAMEFORGE_CACHE", str(tmp_path / "cache"))
        monkeypatch.syspath_prepend(str(tmp_path))
        (tmp_path / "damaged_kernel.py").write_text("def added(x):\n    return x + 40\n")

        def call_anew() -> list[str]:
            cache._trusted.cache_clear()
            sys.modules.pop("damaged_kernel", None)
            heard: list[str | None] = []
            with on_compilation(lambda function, seconds: heard.append(function)):
                assert jit.kernel(importlib.import_module("damaged_kernel").added)(2) == 42
            return list(dict.fromkeys(function for function in heard if function is not None))

        yield call_anew
        sys.modules.pop("damaged_kernel", None)

    @staticmethod
    def files(tmp_path: Path, ending: str) -> Path:
        (found,) = (tmp_path / "cache").rglob(f"*.{ending}")
        return found

    @pytest.mark.parametrize("ending", ["nbi", "nbc"])
    @pytest.mark.parametrize(
        "damage",
        [
            lambda data: b"",
            lambda data: data[: len(data) // 2],
            lambda data: data[:10],
            lambda data: data[:-100] + bytes([data[-100] ^ 1]) + data[-99:],
            lambda data: data[:40] + b"cos\nabort\n(tR." + data[40:],
        ],
    )
    def test_a_damaged_file_is_compiled_again(
        self, ending: str, damage: Callable[[bytes], bytes], tmp_path: Path, compiled: Callable[[], list[str]]
    ) -> None:
        assert compiled() == ["added"]
        assert compiled() == []
        path = self.files(tmp_path, ending)
        path.write_bytes(damage(path.read_bytes()))
        assert compiled() == ["added"]
        assert compiled() == []

    @pytest.mark.skipif(not hasattr(os, "getuid"), reason="this system has no owners of files")
    @pytest.mark.parametrize("place", ["nbc", "nbi", "folder"])
    def test_what_others_can_write_is_not_read(
        self, place: str, tmp_path: Path, compiled: Callable[[], list[str]], recwarn: pytest.WarningsRecorder
    ) -> None:
        compiled()
        path = self.files(tmp_path, "nbc").parent if place == "folder" else self.files(tmp_path, place)
        path.chmod(0o777)
        if place == "folder":
            (path / "planted").touch()
            (path / "planted").chmod(0o666)
        assert compiled() == ["added"]
        warned = [str(one.message) for one in recwarn if one.category is cache.UnusedCacheWarning]
        assert [f"{path.parent} or kept there" in text for text in warned] == [True] * (place == "folder")

    @pytest.mark.skipif(not hasattr(os, "getuid"), reason="this system has no owners of files")
    def test_a_new_folder_is_closed_to_others(self, tmp_path: Path, compiled: Callable[[], list[str]]) -> None:
        """Many systems let the group write by default."""
        before = os.umask(0)
        try:
            compiled()
        finally:
            os.umask(before)
        assert compiled() == []
        for path in (self.files(tmp_path, "nbc"), self.files(tmp_path, "nbi"), self.files(tmp_path, "nbi").parent):
            assert path.stat().st_mode & 0o022 == 0


def _shifted(number: int) -> Callable[[int], int]:
    """A function that no cache has."""
    space: dict[str, Any] = {}
    exec(f"def shifted(x):\n    return x + {number}", space)
    function: Callable[[int], int] = space["shifted"]
    return function


def warmed(folder: Path) -> list[object]:
    """Compile the kernels in the folder; what WARM prints."""
    sys.path.insert(0, str(folder))
    warm, seen = importlib.import_module("warm"), list[object]()
    with on_compilation(lambda function, seconds: seen or seen.append("compiling")):
        seen.append(int(warm.counted(np.arange(5))))
        seen.append("numba.np.linalg" in sys.modules)
        seen.append(warm.hashed(7))
    return seen


@copies_this_process
@pytest.mark.usefixtures("compiler")
def test_a_warm_cache_needs_no_compiler(tmp_path: Path) -> None:
    """Cached machine code is loaded in a process that does not import numba's compiler."""
    (tmp_path / "warm.py").write_text(KERNELS)
    kept = str(tmp_path / "cache")
    assert copied(warmed, tmp_path, GAMEFORGE_CACHE=kept) == ["compiling", 20, True, True]
    done = python(WARM, str(tmp_path), GAMEFORGE_CACHE=kept)
    assert (done.stdout.splitlines(), done.stderr) == (["20", "no linalg", "True"], "")


@pytest.mark.skipif(os.name != "posix", reason="other systems lock no files")
def test_processes_that_need_a_function_at_once_compile_it_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One process compiles it; the other says again and again that it waits, and then needs no compiler."""
    (tmp_path / "warm.py").write_text(KERNELS)
    monkeypatch.setenv("GAMEFORGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.syspath_prepend(str(tmp_path))
    warm = importlib.import_module("warm")
    script = WARM.replace("print(warm.hashed(7))", "")
    command = [sys.executable, "-uc", script, str(tmp_path)]
    with warm.counted._cache.alone():
        other = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert other.stdout is not None
        assert other.stdout.readline() == "compiling\n"
        assert warm.counted(np.arange(5)) == 20
    del sys.modules["warm"]
    printed, errors = other.communicate()
    *waits, counted, linalg = printed.splitlines()
    assert (set(waits) <= {"compiling"}, counted, linalg, errors) == (True, "20", "no linalg", "")
