"""Studies: which variants of a pipeline are trained, with which seeds, how long, and how they are measured."""

import importlib.metadata
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import Any, TypeVar

import attrs

from gameforge.config import check_seed, dump_toml, normal, read_toml, structure
from gameforge.config.settings import Json, in_file
from gameforge.discovery.registry import Registry, default_registry
from gameforge.errors import DISTRIBUTION, GameforgeError, near
from gameforge.experiments.schedule import FailedTrial, Resources, resources_with_bar, trial_keys
from gameforge.experiments.seed_runs import MOST_SEEDS, require_scipy
from gameforge.experiments.store import kept_trials, trials_in
from gameforge.play.pipeline import Pipeline, pipeline_source
from gameforge.storage.files import write_atomically
from gameforge.storage.folder import Folder
from gameforge.studies.budget import Budget
from gameforge.studies.measures import FixedOpponent, League, Opponents
from gameforge.studies.plan import Plan, make_plan
from gameforge.studies.report import StudyFigures, StudyReport, figures_so_far, write_report
from gameforge.studies.trials import DEFINITION, STUDY_FORMAT, StudyTrials
from gameforge.studies.variants import NAME, Variant, changes_of_grid, flat_changes, grid_of, make_variants

SEEDS = 5
"""Number of seeds of a study that names none."""
T = TypeVar("T")


class Study:
    """Variants of a pipeline, trained with the same seeds and measured alike:

    gf.Study({"game": "mygame", "learner": "td"}, grid={"learner.lambda": [0, 0.3]}).run("studies/lambda")
    """

    variants: tuple[Variant, ...]
    """The variants, in order, each with its name and its pipeline."""
    seeds: tuple[int, ...]
    """The seeds; each variant has a trial with each of them."""

    def __init__(
        self,
        pipeline: str | Path | Mapping[str, object] | Pipeline,
        *,
        grid: Mapping[str, object] | None = None,
        variants: Sequence[Mapping[str, object]] | None = None,
        seeds: int | Sequence[int] = SEEDS,
        budget: Mapping[str, object] | None = None,
        yardstick: str | Mapping[str, object] | None = None,
        league: Mapping[str, object] | None = None,
        baseline: str = "",
        title: str = "",
        registry: Registry | None = None,
    ) -> None:
        """Choose the variants, and check that each of them can be trained.

        * `pipeline`: what all variants have in common: settings, a TOML file, the name of a preset, or a pipeline.
        * `grid`: values by key, such as `{"learner.lambda": [0, 0.3]}`; every combination is a variant. A key is that
          of a parameter, or of a whole component, as in `{"learner": ["td", "cem"]}`.
        * `variants`: in place of a grid, the changed settings of each variant, and its `name` if it has one.
        * `seeds`: the number of seeds, counted from 1, or the seeds.
        * `budget`: `games`, the number of training games of every variant, and `by`, the parameter that sets the length
          of a training, such as `"learner.sessions"`; or `evaluations` or `processor_seconds`, after which trainings
          end. None: the pipelines say how long they are trained.
        * `yardstick`: the opponent that measures every trained player, as text; or `player`, `games` of a match, and
          `every`, the number of sessions between two measurements.
        * `league`: in place of a yardstick, the `games` of each match of a round robin, which the trained players of
          each seed play.
        * `baseline`: the name of the variant with which all others are compared; by default all pairs are compared.
        * `title`: the title of the report.
        * `registry`: the plugins to choose from; by default, all installed plugins.

        Raises GameforgeError if two variants are equal, if a pipeline cannot be made, or if a variant cannot play the
        budget's number of games.
        """
        self.registry = registry or default_registry()
        self.base = _base(pipeline, self.registry)
        """The settings of the pipeline, in normal form."""
        self.title, self.baseline = title, baseline
        self.seeds = _seeds(seeds)
        self._listed = _listed(grid, variants)
        self._grid = None if grid is None else grid_of(grid)
        self.budget = None if budget is None else Budget.read(_table(budget, "budget"))
        """What every variant spends on its training; None: it is not limited."""
        if yardstick is not None and league is not None:
            raise GameforgeError("a study has either a yardstick or a league, not both")
        opponent = {"player": yardstick} if isinstance(yardstick, str) else yardstick or {}
        self.league = None if league is None else _structured(League, league, "league")
        """The round robin that measures the trained players; None: the yardstick does."""
        self.yardstick = _structured(FixedOpponent, opponent, "yardstick") if league is None else None
        """The opponent that measures them; None: the league does."""
        self._opponents = None if self.yardstick is None else Opponents(self.base, self.yardstick, self.registry)
        made = make_variants(self.base, self._listed, self.registry)
        self.variants = tuple(made if self.budget is None else map(self.budget.spent_by, made))
        names = [variant.name for variant in self.variants]
        if baseline and baseline not in names:
            raise GameforgeError(
                f"baseline {baseline!r} is not a variant{near(baseline, names)}; variants: {'; '.join(names)}"
            )
        if self.league is not None and len(names) < 2:
            raise GameforgeError("a league needs two variants or more")

    def __repr__(self) -> str:
        return f"<Study: {len(self.variants)} variants, {len(self.seeds)} seeds>"

    @classmethod
    def read(cls, file: str | Path, registry: Registry | None = None) -> "Study":
        """Read a study from a TOML file, whose keys are the parameters of a study.

        Raises GameforgeError, which begins with the name of the file.
        """
        with in_file(file):
            table: dict[str, Any] = read_toml(file)  # the constructor checks the values
            for key in table:
                if key not in _KEYS:
                    raise GameforgeError(f"no such key {key!r}{near(key, _KEYS)}; allowed: {', '.join(_KEYS)}")
            if "pipeline" not in table:
                raise GameforgeError("the key 'pipeline' is missing: what all variants have in common")
            for key in ("title", "baseline"):
                if not isinstance(table.get(key, ""), str):
                    raise GameforgeError(f"{key} = {table[key]!r}: must be a text")
            return cls(**table, registry=registry)

    @property
    def settings(self) -> dict[str, Json]:
        """The whole study as TOML holds it; `Study.read` makes the same study of it."""
        measure = {"league": self.league} if self.yardstick is None else {"yardstick": self.yardstick}
        parts = {"budget": self.budget, **measure}
        return {
            "title": self.title or None,
            "baseline": self.baseline or None,
            "seeds": list(self.seeds),
            "pipeline": self.base,
            **({"variants": self._listed} if self._grid is None else {"grid": self._grid}),
            **{key: attrs.asdict(part) for key, part in parts.items() if part is not None},
        }

    def plan(self, out: str | Path | None = None) -> Plan:
        """Return the trials and what they cost; run nothing.

        * `out`: the folder of the study, whose finished trials are counted; None: there are none yet.

        Raises GameforgeError if the folder holds other files or another study.
        """
        trials, kept = self._trials(), {}
        if out is not None and Path(out).is_dir() and any(Path(out).iterdir()):
            with self._folder(Path(out)).resume():
                kept = kept_trials(Path(out), trials.recognised)
        left = [key for key in trial_keys(trials, self.seeds) if key not in kept]
        plan = make_plan(
            self.variants, left, trials.finished([*kept.values()]), len(self.seeds), self.league, self.yardstick
        )
        if self.budget is None or self.budget.games is not None:
            return plan
        return plan.limited_to(self.budget.processor_seconds)

    def run(
        self, out: str | Path, *, workers: int = 1, executor: Executor | None = None, progress: bool = True
    ) -> StudyReport:
        """Run the trials that the folder `out` does not have yet, and write the report.

        Interrupted trials are resumed. A trial that fails is left out, and tried again the next time.

        * `workers`: number of trials that run at once, and of threads for the learners' independent work.
        * `executor`: does that work in place of the threads. Results depend on neither.
        * `progress`: show a progress bar if standard error is a terminal or a notebook, else log a line a minute.

        Raises GameforgeError if the folder holds other files or another study, and if the opponent cannot be made.
        """
        trials = len(trial_keys(self._trials(), self.seeds))
        with resources_with_bar("trials", trials, workers, executor, progress) as resources:
            return self.run_with(resources, Path(out))

    def run_with(self, resources: Resources, out: Path) -> StudyReport:
        """Do the same with these resources, which also hear of the trials."""
        require_scipy("reports of studies")
        if self.budget is not None:
            self.budget.require_alone(resources.workers, resources.executor)
        trials, failures = self._trials(), list[FailedTrial]()

        def failed(trial: FailedTrial) -> None:
            failures.append(trial)
            resources.failed(trial)

        def prepare() -> None:
            if self._opponents is not None:
                for variant in self.variants:  # a wrong opponent is no fault of a trial
                    self._opponents.yardstick(variant.pipeline)
            write_atomically(out / DEFINITION, dump_toml(self.settings).encode())

        with trials_in(
            self._folder(out),
            *(trials, self.seeds, resources),
            registry=self.registry,
            recognised=trials.recognised,
            prepare=prepare,
            failed=failed,
        ) as found:
            return write_report(out, trials, len(self.seeds), self.baseline, found, failures)

    def figures(self, out: str | Path) -> StudyFigures:
        """Return what the trials in the folder `out` have shown so far, also while another process runs the study.

        Raises GameforgeError if the folder's trials are damaged, or if scipy is not installed.
        """
        require_scipy("reports of studies")
        trials = self._trials()
        wanted = trial_keys(trials, self.seeds)
        kept = kept_trials(Path(out), trials.recognised)
        ended = [kept[key] for key in wanted if key in kept]
        return figures_so_far(Path(out), trials, len(wanted), self.baseline, ended)

    def _trials(self) -> StudyTrials:
        return StudyTrials(self.title or "Study", self.variants, self.league, self._opponents, self.budget)

    def _folder(self, path: Path) -> Folder:
        """The folder of the study: what its trials have in common identifies it."""
        kept = {key: self.settings.get(key) for key in ("pipeline", "budget", "yardstick", "league")}
        return Folder(
            path=path, format=STUDY_FORMAT, identity={**kept, "gameforge": importlib.metadata.version(DISTRIBUTION)}
        )


_KEYS = ("title", "pipeline", "grid", "variants", "seeds", "budget", "yardstick", "league", "baseline")


def _base(pipeline: str | Path | Mapping[str, object] | Pipeline, registry: Registry) -> dict[str, Json]:
    """Return the settings of the base pipeline in normal form, without a seed: that is the trials'."""
    if isinstance(pipeline, Pipeline):
        settings: Mapping[str, object] = pipeline.settings
    elif isinstance(pipeline, Mapping):
        settings = pipeline
    elif isinstance(pipeline, str | Path):
        settings = pipeline_source(registry, str(pipeline))
    else:
        raise GameforgeError(
            f"pipeline = {pipeline!r}: must be a table of settings, a TOML file, or the name of a preset"
        )
    return {key: value for key, value in normal(settings).items() if key != "seed"}


def _listed(
    grid: Mapping[str, object] | None, variants: Sequence[Mapping[str, object]] | None
) -> list[dict[str, Json]]:
    """Return the changes of each variant by dotted keys."""
    if (grid is None) == (variants is None):
        both = "" if grid is None else ", not both"
        raise GameforgeError(f"a study needs a grid or a list of variants{both}")
    if grid is not None:
        return [dict(changes) for changes in changes_of_grid(grid_of(_table(grid, "grid")))]
    if not isinstance(variants, list | tuple) or not variants:
        raise GameforgeError("variants: must be a list of one or more tables")
    listed = [dict(flat_changes(_table(table, f"variants.{i}"))) for i, table in enumerate(variants)]
    for i, changes in enumerate(listed):
        if not isinstance(changes.get(NAME, ""), str):
            raise GameforgeError(f"variants.{i}.{NAME} = {changes[NAME]!r}: must be a text")
    return listed


def _seeds(given: int | Sequence[int]) -> tuple[int, ...]:
    if type(given) is int:
        if not 1 <= given <= MOST_SEEDS:
            raise GameforgeError(f"seeds = {given}: must be from 1 to {MOST_SEEDS:,}, or a list of seeds")
        return tuple(range(1, given + 1))
    if not isinstance(given, list | tuple | range) or not given:
        raise GameforgeError(f"seeds = {given!r}: must be a number of seeds or a list of seeds")
    for seed in given:
        check_seed(seed)
    if len(set(given)) < len(given):
        raise GameforgeError(f"seeds = {list(given)}: the seeds must differ")
    return tuple(given)


def _table(value: object, where: str) -> Mapping[str, Json]:
    if not isinstance(value, Mapping):
        raise GameforgeError(f"{where} = {value!r}: must be a table")
    return value


def _structured(kind: type[T], value: object, where: str) -> T:
    return structure(kind, _table(value, where), where)
