"""What a player knows without a search: oracles, opened by handles, and opening books.

Python code consults an oracle by its handle. Kernels read the lines of all books in one block.

An oracle that has to build a database first can be opened by another process, in the background. A person who wants to
play or to analyse does not wait for minutes: the player does without the oracle, and a process of low priority builds
what it needs, which later commands find. It goes on when the command has ended. Matches and trainings wait for their
oracles instead, so that their results do not depend on what has been built before.
"""

import hashlib
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import MutableMapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from gameforge.config import Spec, unstructure
from gameforge.discovery.registry import NamedCrashes, Registry, component_text, default_registry
from gameforge.errors import GameforgeError, NotCovered
from gameforge.interfaces.oracle import (
    Announce,
    Book,
    BookLines,
    KnowsLead,
    Oracle,
    OracleFunctions,
    SlowToOpen,
    Value,
    Verdict,
    silent,
)
from gameforge.play.game import Game, Position
from gameforge.storage.folder import locked

if TYPE_CHECKING:
    from gameforge.kernel.types import WordArray


_WAIT = 0.5
"""Seconds between announcements of who waits for an oracle."""
_VALUES: tuple[Value, Value, Value] = ("win", "loss", "draw")


@attrs.define(eq=False)
class OpenedOracle:
    """What is open of an oracle, by the text of the rules, and the lock under which it is opened.

    Opening may take minutes. Whoever needs another oracle does not wait for it.
    """

    by_rules: dict[str, tuple[OracleFunctions, tuple[Any, Any]]] = attrs.field(factory=dict)
    """Its functions, and the probe and the data as kernels need them."""
    lock: threading.RLock = attrs.field(factory=threading.RLock)
    """Held while it is opened."""
    listeners: list[Announce] = attrs.field(factory=list)
    """The receivers of whoever opens it and of those that wait for that: all hear of the progress."""

    def announce(self, what: str, done: int, total: int) -> None:
        """Pass on the progress of what is being opened."""
        for listener in tuple(self.listeners):
            listener(what, done, total)


class OracleHandle:
    """An oracle component, opened for each game when it is first needed."""

    def __init__(
        self,
        component: Oracle,
        spec: Spec,
        announce: Announce = silent,
        workers: int = 1,
        registry: Registry | None = None,
    ) -> None:
        self.component = component
        self.spec = spec
        self.registry = registry
        self._announce, self._workers = announce, workers
        self._opened = OpenedOracle()

    def __repr__(self) -> str:
        return f"<oracle {self.spec}>"

    def __reduce__(self) -> "tuple[type[OracleHandle], tuple[object, ...]]":
        """Pickle how to open the oracle, without its data; who announces the progress is left behind."""
        return type(self), (self.component, self.spec, silent, self._workers, self.registry)

    def functions(self, game: Game, announce: Announce | None = None, workers: int | None = None) -> OracleFunctions:
        """Open the oracle for this game's rules, or return it if it is open; this may read files or compute.

        announce, workers: replace those of the handle. Raises GameforgeError if the oracle cannot be opened.
        """
        return self._open(game, announce, workers)[0]

    def _open(
        self, game: Game, announce: Announce | None = None, workers: int | None = None
    ) -> tuple[OracleFunctions, tuple[Any, Any]]:
        rules, opened = game.rules_text, self._opened
        if rules in opened.by_rules:
            return opened.by_rules[rules]
        announce = announce or self._announce
        opened.listeners.append(announce)
        try:
            while not opened.lock.acquire(timeout=_WAIT):
                announce(f"waiting for {self.spec}, which another player is preparing", 0, 0)  # may raise, to give up
        except BaseException:
            opened.listeners.remove(announce)
            raise
        try:
            if rules not in opened.by_rules:
                from gameforge.kernel.assembly import block
                from gameforge.kernel.compile.functions import compiled_function

                oracle: Oracle = (self.registry or default_registry()).composed(self.component, game.rules)
                with NamedCrashes(component_text("oracle", oracle)):
                    functions = oracle.open(game.rules, opened.announce, workers or self._workers)
                probe = compiled_function("probe", functions.probe, compiled=functions.compiled)
                opened.by_rules[rules] = functions, (probe, block(functions.data))
            return opened.by_rules[rules]
        finally:
            opened.lock.release()
            opened.listeners.remove(announce)

    def missing(self, game: Game) -> str:
        """Return what opening the oracle has to build first (`SlowToOpen`); "" if it can be opened soon."""
        if game.rules_text in self._opened.by_rules:
            return ""
        oracle = (self.registry or default_registry()).composed(self.component, game.rules)
        return oracle.missing(game.rules) if isinstance(oracle, SlowToOpen) else ""

    def share(self, opened: MutableMapping[object, OpenedOracle]) -> None:
        """Let this handle and others of an equal component open the oracle only once; `opened` holds what is open."""
        if attrs.has(type(self.component)):
            self._opened = opened.setdefault((type(self.component), repr(unstructure(self.component))), self._opened)

    def probe(self, position: Position) -> Verdict:
        """Return the verdict on a position; raises NotCovered, with the reason, if the oracle does not know it."""
        import numpy as np

        from gameforge.kernel import slots
        from gameforge.kernel.compile.functions import call

        functions, (function, data) = self._open(position.game)
        out = np.zeros(slots.PROBE_SCRATCH + functions.scratch, np.uint64)
        status = int(call(function, data, np.array(position.state, np.uint64), out))
        if status == 0:
            raise NotCovered(
                f"{self.spec} does not know {position.game.position_text(position.state)}: "
                f"{functions.why_not(position.state)}"
            )
        known = int(out[slots.PROBE_DISTANCE])
        lead = (
            self.component.lead(position.game.rules, position.state) if isinstance(self.component, KnowsLead) else None
        )
        conversion = bool(known and out[slots.PROBE_CONVERSION])
        return Verdict(_VALUES[status - 1], known - 1 if known else None, conversion, lead)

    def get(self, position: Position) -> Verdict | None:
        """Return the verdict on a position; None if the oracle does not know it."""
        try:
            return self.probe(position)
        except NotCovered:
            return None


@attrs.frozen
class NamedBook:
    """A book component and the spec by which a pipeline names it."""

    component: Book
    spec: Spec


def book_block_of(game: Game, books: Sequence[BookLines]) -> "WordArray | None":
    """Combine the lines of all books into one block; None if there are no lines.

    Moves are drawn in proportion to their lines if all books are `by_lines`. Raises GameforgeError for a line that does
    not begin at the initial position.
    """
    from gameforge.kernel.assembly import book_block

    lines = [opening for book in books for opening in book.lines]
    start = game.rules.initial()
    for opening in lines:
        if opening.start != start:
            raise GameforgeError(f"book: the line {opening.name} does not begin at the initial position")
    by_lines = all(book.by_lines for book in books)
    return book_block(game.compiled, start, [opening.moves for opening in lines], by_lines) if lines else None


_PROGRAM = "from gameforge.play.knowledge import serve; serve()"
_LOWEST = 19
"""Nice value of the process."""


def cache_folder() -> Path:
    """Return the folder of preparations that are under way; GAMEFORGE_CACHE (environment) moves it."""
    from gameforge.kernel.compile.cache import cache_root

    return cache_root().parent / "preparing"


def prepare(oracle: OracleHandle, game: Game, what: str, announce: Announce) -> bool:
    """Let another process open an oracle, and announce it; False if no process can be started or given the oracle.

    what: what the oracle has to build. If another process is building it already, the new one ends at once. If the
    folder cannot be written, nothing can be built, which is announced instead.
    """
    try:
        given = pickle.dumps((oracle, game))
    except Exception:  # an object of the caller's, of whatever kind
        return False
    name = hashlib.sha256(f"{oracle.spec} {game.rules_text}".encode()).hexdigest()[:16]
    folder = cache_folder() / name
    log = folder / "log.txt"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        errors = log.open("ab")
    except OSError as error:
        announce(
            f"oracle {oracle.spec} is not ready, and cannot be built, since {error.filename} cannot be written "
            f"({error.strerror}); the player plays without it; set GAMEFORGE_CACHE to another folder",
            0,
            0,
        )
        return True
    try:
        with errors:
            process = subprocess.Popen(
                [sys.executable, "-c", _PROGRAM, str(folder)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                start_new_session=True,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )
        assert process.stdin is not None
        with process.stdin as stdin:
            stdin.write(given)
    except OSError:
        return False
    announce(
        f"oracle {oracle.spec} is not ready: it needs {what}. It is being built in the background, for later commands; "
        f"until then, the player plays without it (errors: {log})",
        0,
        0,
    )
    return True


def serve() -> None:
    """Open the oracle that the standard input describes, unless another process does so; sys.argv[1]: its folder."""
    if hasattr(os, "nice"):
        os.nice(_LOWEST)
    oracle, game = pickle.load(sys.stdin.buffer)
    try:
        with locked(Path(sys.argv[1])):
            oracle.functions(game)
    except GameforgeError as error:
        print(error, file=sys.stderr)
