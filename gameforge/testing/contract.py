"""The contract kit: named checks of what every component of a kind must do, which report what is wrong and where.

    print(check("rules", MyGame()))
    check("searcher", "minimax:depth=3", game="mygame").require()

A check that does not apply (the game has no notation, the oracle knows no position of the sample) is skipped, with the
reason. A check that finds something doubtful, which may be right, ends with a warning, as does the last one for imports
that reach past the public modules. A check that is known to fail can be listed in `expected` with the reason; it is
then an error if it passes.
"""

import ast
import contextlib
import functools
import importlib
import inspect
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, cast, get_args

import attrs

from gameforge.config import Spec
from gameforge.discovery.loading import reason
from gameforge.discovery.registry import Registry, default_registry
from gameforge.errors import GameforgeError, near
from gameforge.interfaces.rules import Rules
from gameforge.play.bounds import remember_passed
from gameforge.play.game import Game
from gameforge.play.pipeline import EvaluatorChoice, FeaturesChoice
from gameforge.public import PUBLIC, offered
from gameforge.testing.toy import Pile

KINDS = ("rules", "features", "evaluator", "searcher", "learner", "oracle", "book", "player")
"""The kinds of component that have a contract."""

INTERFACE = "interface"
"""The first check of each kind; if it fails, the others are skipped."""

COMPILED = "functions are compiled"
"""The last check of each kind: no function runs as plain Python though it was meant to be compiled."""

BOUNDARY = "imports are public"
"""A warning if the component's package imports private names, which may change in any release."""

Status = Literal["passed", "warning", "failed", "skipped", "expected failure"]
"""What came of a check."""
_STATUSES: tuple[Status, ...] = get_args(Status)


class Broken(Exception):
    """The component violates its contract; the message says what happened and where."""


class Unsafe(Broken):
    """The component writes outside its memory: further checks could crash or hang this process, so they are skipped."""


class Skipped(Exception):
    """The check does not apply; the message says why."""


class Doubtful(Exception):
    """The component may be right, but its author should look; the message says at what."""


def expect(condition: bool, otherwise: str) -> None:
    """Raise Broken with the message `otherwise` unless the condition holds."""
    if not condition:
        raise Broken(otherwise)


@attrs.frozen
class Check:
    """One requirement of a contract."""

    name: str
    """The requirement in words, such as `moves are distinct`."""
    run: Callable[..., int | str]
    """Returns the number of cases checked, or what was found; raises Broken, Doubtful or Skipped."""


def checks_of(module: str) -> tuple[Check, ...]:
    """Make a check of each public function of a module but `prepare`, in their order and named after them."""
    own = [one for one in vars(sys.modules[module]).values() if inspect.isfunction(one) and one.__module__ == module]
    names = [(one.__name__, one) for one in own if one.__name__ != "prepare" and not one.__name__.startswith("_")]
    return tuple(Check(name.replace("_", " "), one) for name, one in names)


@attrs.frozen(slots=False, eq=False)
class Given:
    """A component, and what it is checked with."""

    component: Any
    game: Game | None
    """None: the toy game."""
    features: FeaturesChoice | None
    """The feature map of an evaluator; None: that of the game's preset."""
    evaluator: EvaluatorChoice | None
    """The evaluator that a learner trains; None: that of the game's preset, or of the toy game."""
    registry: Registry
    seed: int

    @functools.cached_property
    def played(self) -> Game:
        """The game, or else the toy game."""
        return Game(Pile()) if self.game is None else self.game


@attrs.frozen
class Contract:
    """The checks of one kind of component."""

    prepare: Callable[[Given], object]
    """Makes the argument of the checks; this is the check INTERFACE."""
    checks: tuple[Check, ...]
    """Its requirements; the last ones may measure, or warn of something doubtful."""


@attrs.frozen
class Result:
    """The result of a check."""

    name: str
    """The name of the check."""
    status: Status
    """What came of it."""
    note: str
    """The number of cases, what was found, or the reason why the check failed, gave a warning or was skipped."""

    def __str__(self) -> str:
        mark = {"failed": "FAILED", "warning": "WARNING", "expected failure": "xfailed"}.get(self.status, self.status)
        return f"  {mark:9}{self.name}: {self.note}"


@attrs.frozen
class Report:
    """The results of all checks of one component."""

    subject: str
    """Kind and name of the component."""
    results: tuple[Result, ...]
    """One for each check."""

    def named(self, status: Status) -> tuple[str, ...]:
        """Return the names of the checks with this status."""
        return tuple(result.name for result in self.results if result.status == status)

    @property
    def made(self) -> int:
        """Number of checks that were not skipped."""
        return len(self.results) - len(self.named("skipped"))

    @property
    def summary(self) -> str:
        """The number of checks by their status, in words."""
        texts = {"warning": "with a warning"}
        counts = [(len(self.named(status)), texts.get(status, status)) for status in _STATUSES]
        return f"{len(self.results)} checks: {', '.join(f'{n} {text}' for n, text in counts if n)}"

    def require(self) -> "Report":
        """Raise AssertionError with the whole report if a check failed; return the report otherwise."""
        if self.named("failed"):
            raise AssertionError(str(self))
        return self

    def __str__(self) -> str:
        return "\n".join([self.subject, *map(str, self.results), self.summary])


def check(
    kind: str,
    component: object,
    *,
    game: str | Spec | Rules | Game | None = None,
    features: FeaturesChoice | None = None,
    evaluator: EvaluatorChoice | None = None,
    expected: Mapping[str, str] | None = None,
    registry: Registry | None = None,
    seed: int = 0,
) -> Report:
    """Check a component, given as an object or as `name:key=value`, against the contract of its kind.

    A trained player is given by its name or its folder.

    * `game`: the game to check it with: a name, rules or a Game. None: the only game that it fits, or else the toy game
      of gameforge.testing.toy.
    * `features`: the feature map of an evaluator; None: that of the game's preset.
    * `evaluator`: the evaluator that a learner trains; None: that of the game's preset, or of the toy game.
    * `expected`: names of checks that are known to fail, with the reason.
    * `seed`: for the random games from which positions are sampled.

    Raises GameforgeError for an unknown kind, component, game or check, and for an evaluator without a learner.
    """
    if kind not in KINDS:
        raise GameforgeError(f"kind {kind!r} has no contract{near(kind, KINDS)}; known: {', '.join(KINDS)}")
    contract, expected, registry = _contract(kind), expected or {}, registry or default_registry()
    names = [INTERFACE, *(one.name for one in contract.checks), COMPILED]
    for name in expected:
        if name not in names:
            raise GameforgeError(f"{kind} has no check {name!r}{near(name, names)}; known: {', '.join(names)}")
    if evaluator is not None and kind != "learner":
        raise GameforgeError(f"{kind}: no evaluator can be given; only learners are checked with one")
    registry.agree(component, evaluator)
    subject = f"{kind} {component if isinstance(component, str) else type(component).__name__}"
    with _uncompiled_functions() as uncompiled:
        ready = _game(game, registry)
        by_plugin = isinstance(component, str)
        if isinstance(component, str):
            spec, fits = Spec.parse(component), None if ready is None else ready.rules.name
            ready = ready or _game(registry.find(kind, spec.use).game or None, registry)
            component = (
                registry.player_folder(spec.use, fits) if kind == "player" else registry.create(kind, spec, fits)
            )
        if ready is not None:
            component = registry.composed(component, ready.rules)
        results = [*_results(contract, Given(component, ready, features, evaluator, registry, seed))]
    if uncompiled:
        results.append(Result(COMPILED, "failed", "; ".join(uncompiled)))
    elif results[0].status == "passed":
        results.append(Result(COMPILED, "passed", "no function falls back to plain Python"))
    if private := private_imports_of(component, by_plugin):
        results.append(Result(BOUNDARY, "warning", "; ".join(private)))
    if kind == "rules" and all(result.status != "failed" for result in results):
        remember_passed(cast(Rules, component))
    return Report(subject, tuple(_judged(result, expected) for result in results))


@contextlib.contextmanager
def _uncompiled_functions() -> Iterator[list[str]]:
    """Yield a list, which holds afterwards why functions did not compile and ran as plain Python; other warnings pass.

    It also holds them if the caller turned these warnings into errors.
    """
    from gameforge.kernel.compile.functions import UncompiledWarning

    found: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UncompiledWarning)
        yield found
    for one in caught:
        if issubclass(one.category, UncompiledWarning):
            if str(one.message) not in found:
                found.append(str(one.message))
        else:
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)


def _contract(kind: str) -> Contract:
    contract: Contract = importlib.import_module(f"gameforge.testing.checks.{kind}").CONTRACT
    return contract


def _game(game: str | Spec | Rules | Game | None, registry: Registry) -> Game | None:
    """Make a Game from a name, a spec or rules; keep None."""
    if isinstance(game, str | Spec):
        return Game(registry.create("rules", Spec.parse(game) if isinstance(game, str) else game))
    return game if game is None or isinstance(game, Game) else Game(game)


def _results(contract: Contract, given: Given) -> Iterator[Result]:
    try:
        subject = contract.prepare(given)
    except Exception as error:  # a component may raise anything; its author reads the report
        yield Result(INTERFACE, "failed", reason(error) if not isinstance(error, Broken) else str(error))
        yield from (Result(one.name, "skipped", "the interface is wrong") for one in contract.checks)
        return
    yield Result(INTERFACE, "passed", "as described")
    for i, one in enumerate(contract.checks, 1):
        try:
            yield _result(one, subject)
        except Unsafe as unsafe:
            yield Result(one.name, "failed", str(unsafe))
            left = contract.checks[i:]
            yield from (Result(other.name, "skipped", f"{one.name} failed: it could crash") for other in left)
            return


def _result(one: Check, subject: object) -> Result:
    """Run a check; raises Unsafe if no other check may run after it."""
    try:
        cases = one.run(subject)
    except Unsafe:
        raise
    except Skipped as skipped:
        return Result(one.name, "skipped", str(skipped))
    except Doubtful as doubtful:
        return Result(one.name, "warning", str(doubtful))
    except Broken as broken:
        return Result(one.name, "failed", str(broken))
    except Exception as error:
        return Result(one.name, "failed", reason(error))
    if isinstance(cases, str):
        return Result(one.name, "passed", cases)
    if cases == 0:
        return Result(one.name, "skipped", "the sample has no such case")
    return Result(one.name, "passed", f"{cases:,} case{'' if cases == 1 else 's'}")


def _judged(result: Result, expected: Mapping[str, str]) -> Result:
    """Turn an expected failure into a status of its own, and an expected failure that did not occur into a failure."""
    if result.name not in expected:
        return result
    if result.status == "failed":
        return Result(result.name, "expected failure", f"{expected[result.name]} ({result.note})")
    return Result(result.name, "failed", f"expected to fail ({expected[result.name]}), but it {result.status}")


@attrs.frozen
class PrivateImport:
    """An import from GameForge that goes past its public modules."""

    line: int
    """Number of the line in the file, from 1."""
    module: str
    """The private module."""
    name: str
    """What is imported from it; empty if it is the module itself."""
    public: str | None
    """The public module that offers the name; None if none does."""

    def __str__(self) -> str:
        what = f"{self.module}.{self.name}" if self.name else self.module
        package, _, module = self.module.rpartition(".")
        instead = "no public module offers it"
        if self.public is not None:
            instead = f"import {self.name} from {self.public}"
        elif _public_module(module) == package:
            instead = f"import {module} from {package}" + (f", and write {module}.{self.name}" if self.name else "")
        return f"line {self.line}: {what} is private; {instead}"


def private_imports(text: str) -> Iterator[PrivateImport]:
    """Yield the private imports of a Python source, wherever they stand: also in functions and for mypy only."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "gameforge" and alias.name not in PUBLIC:
                    yield PrivateImport(node.lineno, alias.name, "", None)
        elif isinstance(node, ast.ImportFrom) and str(node.module).split(".")[0] == "gameforge" and not node.level:
            for alias in node.names:
                module, inner = str(node.module), f"{node.module}.{alias.name}"
                if inner not in PUBLIC and not (module in PUBLIC and alias.name in offered(module)):
                    yield PrivateImport(node.lineno, module, alias.name, _public_module(alias.name))


def _public_module(name: str) -> str | None:
    return next((module for module in PUBLIC if name in offered(module)), None)


def private_imports_of(component: object, by_plugin: bool) -> list[str]:
    """Return what a component's package imports past the public modules of GameForge, as sentences.

    A component that a plugin offers may be defined in a single module; any other object only counts if it belongs to a
    package, because a test may define it. Sources that cannot be read are left out.
    """
    name = type(component).__module__
    package = sys.modules.get(name.partition(".")[0])
    if package is None or getattr(package, "__file__", None) is None or name.startswith(("gameforge.", "pathlib")):
        return []  # also for a folder of tests, which is no package
    folders = [Path(folder) for folder in getattr(package, "__path__", ())]
    files = [file for folder in folders for file in sorted(folder.rglob("*.py"))]
    if not files and by_plugin:
        files = [Path(str(package.__file__))]
    found = []
    for file in files:
        with contextlib.suppress(OSError, SyntaxError, UnicodeDecodeError):
            found += [f"{file.name}, {private}" for private in private_imports(file.read_text(encoding="utf-8"))]
    return found
