"""Bounds of rules that others wrote: their first calls are made with guarded blocks, before any kernel makes them.

Compiled functions write where they like. Rules that list one move too many would overwrite the memory of the process,
which then ends without a word. So up to a thousand positions of random games are generated first with room after the
moves and the child, and what is written there is reported. GameForge's own rules have passed `gameforge check`, and
those of others that pass it are remembered by the content of their files.
"""

import contextlib
import functools
import hashlib
import importlib.metadata
import inspect
import os
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from gameforge.config import unstructure
from gameforge.discovery.registry import component_text, default_registry
from gameforge.errors import GameforgeError
from gameforge.interfaces.rules import RUNNING, Rules, State
from gameforge.storage.files import write_atomically

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from gameforge.kernel.context import CompiledRules
    from gameforge.kernel.types import WordArray

TRUST = "GAMEFORGE_TRUST"
"""Environment variable: 1 lets kernels call all rules at once."""
GUARD = 4096
"""Number of elements after a block that a function must not change."""
_PATTERN = 0xA5A5A5A5A5A5A5A5
_CALLS, _SECONDS, _PLIES = 1000, 0.2, 200
"""Positions at most, seconds at most, and plies of a game at most."""


class Guarded:
    """A block that one call after another uses, followed by a guard: words that no call may change."""

    def __init__(self, size: int, guard: int = 8) -> None:
        self._words = block([0] * size, guard)
        self._inside, self._outside = self._words[:size], self._words[size:]
        self._guard = self._outside.tobytes()

    def holding(self, words: State | int) -> "WordArray":
        """Return the block as new, with these words, or with this word everywhere."""
        self._inside[:] = words
        self._outside[:] = _PATTERN
        return self._words

    def holds(self, words: State) -> bool:
        """Whether it still holds these words, and nothing was written behind them."""
        return tuple(self._inside.tolist()) == words and self.intact()

    def intact(self) -> bool:
        """Whether nothing was written behind the words; faster than comparing them one by one."""
        return self._outside.tobytes() == self._guard


def block(words: "ArrayLike", guard: int = 8) -> "WordArray":
    """Make a block of words, followed by a guard."""
    import numpy as np

    return np.concatenate([np.array(words, np.uint64), np.full(guard, _PATTERN, np.uint64)])


def intact(words: "WordArray", size: int) -> bool:
    """Whether nothing was written after the first `size` words of a block."""
    return bool((words[size:] == _PATTERN).all())


def require_bounds(rules: Rules, compiled: "CompiledRules") -> None:
    """Raise GameforgeError if rules write beyond their blocks, or if the sides do not alternate, in their first calls.

    Rules that passed `gameforge check` are not tried again, and with GAMEFORGE_TRUST=1 (`--trust`) none are. Rules that
    hold their bounds are tried once in a process: every Game of them would take the same calls. An exception of the
    rules ends this silently; whoever plays the game will report it.
    """
    if _is_own(type(rules).__module__) or os.environ.get(TRUST) == "1" or has_passed(rules):
        return
    same = _parameters(rules)
    if same is not None and (type(rules), same) in _tried:
        return
    import numpy as np

    from gameforge.kernel.compile.functions import call

    words, most, who = int(compiled.words), int(compiled.max_moves), component_text("rules", rules)
    here, child, moves = Guarded(words), Guarded(words, GUARD), Guarded(most, GUARD)
    rng, deadline, left = random.Random(0), time.monotonic() + _SECONDS, _CALLS
    try:
        while left > 0 and time.monotonic() < deadline:
            state = rules.initial()
            for _ in range(_PLIES):
                left -= 1
                listed, start = moves.holding(0), here.holding(state)
                n = int(call(compiled.gen, compiled.data, start, listed))
                if n > most or not moves.intact():
                    raise GameforgeError(f"{who}: gen wrote more than max_moves = {most} moves in {_text(state)}")
                if not n or int(call(compiled.outcome, compiled.data, start, np.uint64(n))) != RUNNING or left <= 0:
                    break
                following = child.holding(0)
                call(compiled.play, compiled.data, here.holding(state), listed[rng.randrange(n)], following)
                if not child.intact():
                    raise GameforgeError(f"{who}: play wrote more than words = {words} words after {_text(state)}")
                side, state = rules.side_to_move(state), tuple(following[:words].tolist())
                if rules.side_to_move(state) != 1 - side:
                    raise GameforgeError(f"{who}: the same side moves twice, in {_text(state)}; a pass is a move, too")
            left -= 1
    except Exception as error:
        if type(error) is GameforgeError:
            raise
        return  # what the rules raise is reported by the first call that needs its result
    if same is not None:
        _tried.add((type(rules), same))


_tried: set[tuple[type[Rules], str]] = set()
"""Classes and parameters of the rules that held their bounds in this process."""


def _parameters(rules: Rules) -> str | None:
    """The parameters of rules as text; None if they have none that can be written down."""
    return repr(unstructure(rules)) if attrs.has(type(rules)) else None


def _text(state: State) -> str:
    return f"state ({', '.join(f'{word:#x}' for word in state)})"


@functools.cache
def _is_own(module: str) -> bool:
    """Return whether a module belongs to GameForge and its own plugins."""
    root = module.partition(".")[0]
    if not root.startswith("gameforge"):
        return False
    offers = default_registry().plugins.components
    return root == "gameforge" or any(one.own and one.what.target.startswith(f"{root}.") for one in offers)


def remember_passed(rules: Rules) -> None:
    """Remember that these rules, with these parameters and sources, have passed `gameforge check`."""
    digest = _content_digest(rules)
    if digest is not None and not _is_own(type(rules).__module__):
        with contextlib.suppress(OSError, GameforgeError):  # they are tried again then
            _passed_folder().mkdir(parents=True, exist_ok=True)
            write_atomically(_passed_folder() / digest, b"")


def has_passed(rules: Rules) -> bool:
    """Whether `remember_passed` was called for these rules, and neither their sources nor GameForge have changed."""
    if not _passed_folder().is_dir():
        return False
    digest = _content_digest(rules)
    return digest is not None and (_passed_folder() / digest).exists()


def _passed_folder() -> Path:
    from gameforge.kernel.compile.cache import cache_root

    return cache_root().parent / "passed"


def _content_digest(rules: Rules) -> str | None:
    """Return a digest of the parameters of rules, of all files that define them, and of this version of GameForge.

    None if they have no parameters that can be written down, or no files.
    """
    parameters = _parameters(rules)
    if parameters is None:
        return None
    about = [importlib.metadata.version("gameforge"), type(rules).__qualname__, parameters]
    found = hashlib.sha256("\0".join(about).encode())
    try:
        for path in sorted(set(_sources(rules))):
            found.update(f"\0{path.name}\0".encode() + path.read_bytes())
    except (OSError, TypeError):
        return None
    return found.hexdigest()


def _sources(rules: Rules) -> Iterator[Path]:
    """Yield the files of the package or module of rules, and those of helpers of their compiled functions."""
    from gameforge.kernel.compile.cache import files_of

    yield Path(inspect.getfile(type(rules)))
    for folder in getattr(sys.modules.get(type(rules).__module__.partition(".")[0]), "__path__", ()):
        yield from Path(folder).rglob("*.py")
    functions = rules.functions()
    for function in (functions.gen, functions.play, functions.outcome):
        yield from map(Path, files_of(function))
