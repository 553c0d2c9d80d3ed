"""Machine code on disk: used again, and never older than the sources it was made of."""

import importlib
import sys
from pathlib import Path

import numba
import pytest
from toy_site import python

from gameforge.kernel import jit

RUN = """
import sys
sys.path.insert(0, sys.argv[1])
import numpy as np
from gameforge.kernel.functions import call, table_function
from gameforge.kernel.jit import on_first_compilation
from hexes import rules
with on_first_compilation(lambda: print("compiling", end=" ")):
    gen = table_function("gen", rules.gen)
print(call(gen, *(np.zeros(1, np.uint64) for _ in range(3))))
"""
RULES = {
    "named": "from hexes.helpers import count\n\ndef gen(rules, s, moves):\n    return count(s)\n",
    "by module": "from hexes import helpers\n\ndef gen(rules, s, moves):\n    return helpers.count(s)\n",
    "two packages away": ("from hexes.middle import middle\n\ndef gen(rules, s, moves):\n    return middle(s)\n"),
}
HELPERS = "from gameforge.kernel.jit import inline\n\n@inline\ndef count(s):\n    return s[0] + {number}\n"


def write(folder: Path, how: str, number: int) -> None:
    (folder / "hexes").mkdir(exist_ok=True)
    (folder / "hexes" / "rules.py").write_text(RULES[how])
    helpers = HELPERS.format(number=number)
    if how == "two packages away":
        (folder / "distant.py").write_text(helpers)
        (folder / "hexes" / "middle.py").write_text(
            "import distant\nfrom gameforge.kernel.jit import inline\n\n"
            "@inline\ndef middle(s):\n    return distant.count(s)\n"
        )
    else:
        (folder / "hexes" / "helpers.py").write_text(helpers)


@pytest.mark.parametrize("how", RULES)
def test_editing_an_inlined_helper_is_noticed(how: str, tmp_path: Path) -> None:
    def answer() -> str:
        done = python(RUN, str(tmp_path), GAMEFORGE_CACHE=str(tmp_path / "cache"))
        assert done.stderr == ""
        return done.stdout

    write(tmp_path, how, 3)
    assert answer() == "compiling 3\n"
    if how == "named":
        assert answer() == "3\n"
    write(tmp_path, how, 4)
    assert answer() == "compiling 4\n"


def test_numbas_own_cache_folder_is_left_alone() -> None:
    before = numba.config.CACHE_DIR
    seen = []
    with jit._caching(test_numbas_own_cache_folder_is_left_alone) as cache:
        seen.append(numba.config.CACHE_DIR)
    assert cache
    assert seen[0].startswith(str(jit.cache_root()))
    assert before == numba.config.CACHE_DIR


def test_the_folder_can_be_moved(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GAMEFORGE_CACHE", str(tmp_path))
    assert jit.cache_root() == tmp_path / "kernels"
    assert jit.cache_folder(test_the_folder_can_be_moved).parent == tmp_path / "kernels"


def test_a_single_file_is_keyed_by_its_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    folders = set()
    for body in ("return 1", "return 2"):
        (tmp_path / "single_rules.py").write_text(f"def gen(rules, s, moves):\n    {body}\n")
        importlib.invalidate_caches()
        sys.modules.pop("single_rules", None)
        jit._package_digest.cache_clear()
        module = importlib.import_module("single_rules")
        folders.add(jit.cache_folder(module.gen))
    del sys.modules["single_rules"]
    assert len(folders) == 2
