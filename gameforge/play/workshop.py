"""The workshop: builds players from plans, texts and folders.

It carries what all of that needs: the installed plugins, who hears of long preparations, threads, and open oracles.
What a folder or a file names is no consent to start a program (gameforge.discovery.consent), and neither is a text that
is only handed on: those who take texts from people agree to them first, by `Registry.agree`.
"""

import contextlib
import json
import weakref
from collections.abc import Iterable, Iterator, Mapping, MutableMapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import attrs

from gameforge.config import NONE, Spec, normal
from gameforge.config.settings import in_file
from gameforge.discovery.registry import Registry, default_registry
from gameforge.errors import GameforgeError
from gameforge.interfaces.evaluator import NamedWeights
from gameforge.interfaces.oracle import Announce, silent
from gameforge.interfaces.rules import Rules
from gameforge.play.game import Game, rules_text, same_rules
from gameforge.play.knowledge import OpenedOracle, OracleHandle, prepare
from gameforge.play.parts import Parts
from gameforge.play.pipeline import OraclesChoice, Pipeline, RulesChoice, SearcherChoice
from gameforge.play.player import Player
from gameforge.play.player_plan import PlayerPlan, PlayerText, plan_all
from gameforge.play.saved_players import PLAYING, players_in, read_saved

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@attrs.frozen(eq=False)
class Workshop:
    """Builds players. Players of one workshop share the oracles that are open; threads can share a workshop."""

    registry: Registry = attrs.field(factory=default_registry)
    """The plugins to choose from; by default, all installed plugins."""
    announce: Announce = silent
    """Receives the progress of what oracles compute when they are opened."""
    workers: int = 1
    """Number of threads for that."""
    at_once: bool = False
    """Whether players do without oracles that have to be built for minutes first, which are then built in the
    background (knowledge.py). What such a player chooses depends on what has been built before."""
    _opened: MutableMapping[object, OpenedOracle] = attrs.field(factory=weakref.WeakValueDictionary, repr=False)

    def announcing(self, announce: Announce) -> Self:
        """Return the same workshop with another receiver of progress."""
        return attrs.evolve(self, announce=announce)

    def read(self, text: str) -> PlayerText:
        """Read a player's text, and the folder or file that it names."""
        return PlayerText.read(text, self.registry)

    def plan(
        self,
        text: str | PlayerText,
        game: str | Game | None = None,
        *,
        level: int | None = None,
        oracles: Sequence[str] = (),
    ) -> PlayerPlan:
        """Plan the player that a text describes; the text is its name.

        game: as for `PlayerText.plan`. level: one of the levels of a trained or saved player. oracles: replace those of
        a player at its full strength, unless its text names its own.
        Raises GameforgeError as `PlayerText.plan` does, and for a level of anything else.
        """
        read = self.read(text) if isinstance(text, str) else text
        return read.plan(game, self.registry).at_level(level, self.registry).with_oracles(oracles)

    def player(self, text: str, game: str | Game | None = None) -> Player:
        """Build the player that a text describes, as `plan` reads it."""
        return self.build(self.plan(text, game))

    def players(self, given: Sequence[str | Player], game: str | Game | None = None) -> list[Player]:
        """Build the players that several texts describe; Players among them stay as they are.

        game: as for `plan_all`. All texts are read before the first player is built: it may have to build a database.
        """
        plans = plan_all(given, game, self.registry)
        return [one if isinstance(one, Player) else self.build(one) for one in plans]

    def load(
        self,
        folder: Path,
        *,
        game: RulesChoice | None = None,
        level: int | None = None,
        searcher: SearcherChoice | None = None,
        oracle: OraclesChoice | None = None,
    ) -> Player:
        """Load a player from its folder or from the folder of a run.

        game: the rules to play by. level: one of the levels that player.toml describes, from 1. searcher, oracle:
        replace the player's own. Raises GameforgeError if the player is missing, incomplete, altered or of another
        schema, if it has no such level, or if its components cannot be built.
        """
        return self.build(
            PlayerPlan(saved=read_saved(folder), game=game, level=level, searcher=searcher, oracle=oracle)
        )

    def load_all(self, chosen: Iterable[Path | tuple[Path, int | None]]) -> list[Player]:
        """Load several players as `load` does, each by its folder, or by folder and level.

        Those with the same components share them.
        """
        shared: dict[str, tuple[Parts, dict[str, Any]]] = {}
        players = []
        for one in chosen:
            folder, level = (one, None) if isinstance(one, Path) else one
            plan = PlayerPlan(saved=(saved := read_saved(folder)), level=level)
            key = json.dumps([saved.stored.pipeline, saved.at(level), saved.playing.fitted], sort_keys=True)
            if key not in shared:
                shared[key] = self._parts_of_saved(plan)
            players.append(self._weighted(plan, *shared[key]))
        return players

    def members(self, folders: Path | Iterable[Path], rules: Rules) -> tuple[Player, ...]:
        """Load the players that are named as the members of another component, in order.

        Each name is the folder of a saved player, of a run (its generations), or of several saved players; or the name
        of a trained player, as `strong` or `strong:level=3`. Raises GameforgeError if a folder has no players, if a
        trained player does not have the level that is named, or if a player has other rules.
        """
        chosen: list[tuple[Path, int | None]] = []
        for path in (folders,) if isinstance(folders, Path) else folders:
            text = str(path)
            if path.exists() or not self.registry.has("player", text.partition(":")[0], rules.name):
                chosen += [(found, None) for found in players_in(path)]
            else:
                plan = self.plan(text, rules.name)
                assert plan.saved is not None, "a trained player is saved"
                chosen.append((plan.saved.folder, plan.level))
        players = self.load_all(chosen)
        for player in players:
            if not same_rules(player.game.rules, rules):
                raise GameforgeError(f"players: {player.name} plays {player.game.rules_text}, not {rules_text(rules)}")
        return tuple(players)

    def build(self, plan: PlayerPlan) -> Player:
        """Build a player: choose its components, open its oracles, and give it its weights.

        Raises GameforgeError for an unknown component, for weights that do not fit, and if the searcher needs an
        evaluator but only the preset names one, which is not trained.
        """
        if plan.saved is not None:
            return self._weighted(plan, *self._parts_of_saved(plan))
        with _blamed(plan):
            return self._new(plan)

    def parts(self, pipeline: Pipeline) -> Parts:
        """Compile the kernels of a pipeline and open its oracles."""
        for oracle in pipeline.oracles:
            oracle.share(self._opened)
        return pipeline.parts(self.announce, self.workers, self._ready(pipeline.oracles, pipeline.game))

    def _ready(self, oracles: Sequence[OracleHandle], game: Game) -> list[OracleHandle]:
        """Return the oracles that are to be opened: all, or `at_once` those that need not be built first."""
        ready = []
        for oracle in oracles:
            missing = oracle.missing(game) if self.at_once else ""
            if not missing or not prepare(oracle, game, missing, self.announce):
                ready.append(oracle)
        return ready

    def game(self, plan: PlayerPlan) -> Game:
        """Return the game of a plan."""
        chosen = plan.saved.settings["game"] if plan.game is None and plan.saved is not None else plan.game
        if isinstance(chosen, str | Spec | Mapping):
            spec = Spec.from_settings(normal({"game": chosen})["game"], "game")
            return Game(self.registry.create("rules", spec))
        assert chosen is not None, "only a saved player has rules of its own"
        return chosen if isinstance(chosen, Game) else Game(chosen)

    def verdict_oracles(self, plan: PlayerPlan, player: Player, given: Sequence[str] = ()) -> list[OracleHandle]:
        """Return the oracles for exact values beside the player of a plan; they are opened on the first probe.

        They are the given ones, else the player's, else those of the game's preset. If `none` is the only one given, or
        if none are given and the plan excludes oracles, there are none. A workshop whose players play `at_once` leaves
        out those that would have to be built first.
        """
        own = NONE if plan.excludes_oracles else player.spec.get("oracle") or None
        chosen = NONE if list(given) == [NONE] else list(given) or own
        pipeline = Pipeline(
            game=player.game,
            searcher=NONE,
            evaluator=NONE,
            learner=NONE,
            oracle=chosen,
            registry=self.registry.for_files(),
        )
        handles = []
        for oracle in pipeline.oracles:
            spec = _brief(oracle.spec, oracle.component)
            handles.append(OracleHandle(oracle.component, spec, self.announce, self.workers, self.registry))
            handles[-1].share(self._opened)
        return self._ready(handles, player.game)

    def _parts_of_saved(self, plan: PlayerPlan) -> tuple[Parts, dict[str, Any]]:
        """Return the parts of a saved player, and the settings that describe them."""
        saved = plan.saved
        assert saved is not None, "the plan is that of a saved player"
        own = saved.at(plan.level)
        whole = {"learner": NONE, "oracle": NONE, **saved.settings, **own}
        with _blamed(plan):
            settings = saved.playing.completed(whole, self.registry)
        replaced = saved.playing.completed(plan.replaced, self.registry)
        registry = self.registry.for_files(saved.folder)
        try:
            pipeline = Pipeline(registry=registry, **(settings | replaced))
        except GameforgeError:
            with _blamed(plan):  # only if the folder is wrong by itself
                Pipeline(registry=registry, **settings)
            raise
        with _blamed(plan):
            changed = own or replaced or saved.playing.fitted
            return self.parts(pipeline), dict(pipeline.settings) if changed else dict(saved.stored.pipeline)

    def _weighted(self, plan: PlayerPlan, parts: Parts, spec: dict[str, Any]) -> Player:
        """Return a saved player with its weights, and with what its file adds to them."""
        saved = plan.saved
        assert saved is not None, "the plan is that of a saved player"
        stored, layout = saved.stored, "" if parts.vector is None else parts.vector.layout
        if stored.layout and layout and stored.layout != layout:
            raise GameforgeError(f"{saved.folder}: its weights are for {stored.layout}, but its evaluator has {layout}")
        with _blamed(plan):
            weights = _with_added(parts, stored.weights, saved.playing.added)
            full = plan.level is None or plan.level == len(saved.playing.levels)
            name = stored.name if plan.name is None else plan.name
            return Player(parts, weights, name, spec, own_limits=full and plan.searcher is None)

    def _new(self, plan: PlayerPlan) -> Player:
        """Build a player with initial weights."""
        import numpy as np

        assert plan.game is not None, "only a saved player has rules of its own"
        chosen = Pipeline(
            game=plan.game,
            searcher=plan.searcher,
            evaluator=plan.evaluator,
            features=plan.features,
            oracle=NONE if plan.oracle is None else plan.oracle,
            learner=NONE,
            registry=self.registry.for_files(plan.file or ""),
        )
        parts = self.parts(chosen)
        if plan.evaluator is None and parts.search.needs_evaluator and parts.vector is not None:
            raise GameforgeError(
                f"player: with these settings, {chosen.settings['searcher']['use']} needs an evaluator; the one of the "
                f"preset, {chosen.settings['evaluator']['use']}, is untrained",
                advice="give the folder of a trained player, or name an evaluator",
                parameter="evaluator",
            )
        weights = None if parts.vector is None else parts.initial_weights(np.random.default_rng(plan.seed))
        return Player(parts, weights, plan.name or "player", chosen.settings)


@contextlib.contextmanager
def _blamed(plan: PlayerPlan) -> Iterator[None]:
    """Let errors name the folder or the file of a plan, or else advise to add to its text what it lacks."""
    if plan.saved is None and plan.file is not None:
        with in_file(plan.file):
            yield
        return
    try:
        yield
    except GameforgeError as error:
        if plan.saved is not None:  # without advice about parameters, which a folder does not have
            with in_file(plan.saved.folder):
                raise GameforgeError(error.message) from error
        if not plan.text:
            raise
        raise GameforgeError(error.sentence(lambda kind: f"one more part: '{plan.text} + {kind.upper()}'")) from error


def _with_added(
    parts: Parts, weights: "NDArray[np.float32] | None", added: Mapping[str, Sequence[float]]
) -> "NDArray[np.float32] | None":
    """Return the weights with the additions of the player's file; a wrong number of weights is for Player to refuse."""
    if not added:
        return weights
    if not isinstance(parts.evaluator, NamedWeights):
        raise GameforgeError(f"{PLAYING}: this evaluator has no named weights; remove the table [added]")
    if weights is None or parts.vector is None or len(weights) != parts.vector.length:
        return weights
    return parts.evaluator.with_added(parts.game.rules, weights, added)


def _brief(spec: Spec, component: object) -> Spec:
    """Drop the parameters that have their default values."""
    cls: Any = type(component)
    fields = attrs.fields_dict(cls) if attrs.has(cls) else {}
    params = {key: value for key, value in spec.params.items() if key not in fields or fields[key].default != value}
    return Spec(spec.use, params)
