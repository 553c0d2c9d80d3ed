"""What the learner makes of examples: problems of the literature, the best net, the same for any threads or breaks."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cascade_toys import Grown, parity, two_spirals, value
from example_arrays import write_examples
from gameforge_examples.folder import Examples
from uncompiled import printed_uncompiled

import gameforge as gf
from gameforge.cli.commands.runs import write_curves
from gameforge.cli.main import run as run_command
from gameforge.discovery.registry import default_registry
from gameforge.errors import GameforgeError
from gameforge.interfaces.hooks import hookimpl
from gameforge.training.run import Run
from gameforge.training.run_report import RunReport, panels
from gameforge.training.train import Pipeline
from gameforge.training.yardstick import Yardstick


@pytest.mark.parametrize(
    "settings",
    [{}, {"algorithm": "correlation"}, {"rule": "irprop+"}, {"output_error": "linear"}],
    ids=["cascade2", "correlation", "irprop+", "linear"],
)
def test_two_spirals(settings: dict[str, Any]) -> None:
    """Cascade-correlation needs 12 to 19 units of one sigmoid for them (Fahlman and Lebiere 1990, section 4.1)."""
    spirals = two_spirals()
    grown = Grown(spirals, spirals, 16, **settings)
    assert grown.right(spirals) == 1.0
    assert min(grown.figures("test_mse")) < 0.01


@pytest.mark.parametrize("bits", [2, 4, 6])
def test_parity(bits: int) -> None:
    problem = parity(bits)
    grown = Grown(problem, problem, 6)
    assert grown.right(problem) == 1.0
    assert grown.figures("test_mse")[0] > 0.2  # no net without hidden units can


def noisy() -> tuple[Any, Any]:
    """A few examples with noise, to be learnt by heart, and many to test with."""
    rng = np.random.default_rng(8)

    def drawn(n: int) -> Any:
        x = rng.uniform(-1, 1, (n, 5)).astype(np.float32)
        return x, np.clip(np.cos(3 * x[:, 0]) + rng.normal(0, 0.5, n), -1, 1).astype(np.float32)

    return drawn(60), drawn(500)


def test_the_net_with_the_lowest_test_error_is_returned() -> None:
    train, test = noisy()
    grown = Grown(train, test, 8)
    tested = grown.figures("test_mse")
    best = int(np.argmin(tested))
    assert 0 < best < 8  # more units fit the noise
    assert grown.trained.summary["neurons"] == best == int(grown.trained.weights[0])
    assert grown.trained.summary["test_mse"] == tested[best]
    assert grown.figures("neurons") == list(range(9))
    for units, (name, net) in enumerate(grown.trained.generations):
        assert name == f"neurons {units}"
        grown.form.check(net)
        for part, figures in ((train, "train_mse"), (test, "test_mse")):
            outputs = np.array([value(grown.form, net, x) for x in part[0]])
            assert np.mean(((part[1] - outputs) / 2) ** 2) == pytest.approx(grown.figures(figures)[units], rel=1e-3)
    assert (grown.trained.generations[best][1] == grown.trained.weights).all()


def test_threads_do_not_change_anything() -> None:
    rng = np.random.default_rng(3)
    x = (rng.random((5000, 20)) < 0.3).astype(np.float32)
    problem = x, np.tanh(x @ rng.normal(0, 1, 20)).astype(np.float32)
    settings: dict[str, Any] = {"activations": ("tanh", "gaussian"), "groups": 1, "candidate_epochs": 20}
    first, *others = (Grown(problem, problem, 2, workers=n, output_epochs=20, **settings) for n in (1, 2, 5))
    for other in others:
        assert (first.trained.weights == other.trained.weights).all()
        assert first.sessions[-1].numbers == other.sessions[-1].numbers
    other_seed = Grown(problem, problem, 2, seed=2, output_epochs=20, **settings)
    assert (first.trained.weights != other_seed.trained.weights).any()


@pytest.mark.parametrize("after", [0, 1, 3])
def test_what_was_saved_after_a_unit_goes_on_to_the_same_end(after: int) -> None:
    train, test = noisy()
    whole = Grown(train, test, 4)
    again = Grown(train, test, 4, saved=whole.states[after])
    assert (whole.trained.weights == again.trained.weights).all()
    assert [p.numbers for p in whole.sessions[after + 1 :]] == [p.numbers for p in again.sessions]
    assert whole.trained.summary == again.trained.summary
    for one, other in zip(whole.trained.generations, again.trained.generations, strict=True):
        assert (one[1] == other[1]).all()


def test_what_was_saved_of_something_else_is_refused() -> None:
    train, test = noisy()
    saved = Grown(train, test, 2).states[1]
    with pytest.raises(GameforgeError, match="the examples have changed since this training began"):
        Grown((train[0], -train[1]), test, 2, saved=saved)
    with pytest.raises(GameforgeError, match="does not match this network"):
        Grown(train, test, 3, saved=saved)


@pytest.fixture(scope="module")
def othello(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of states of random games with what these came to."""
    try:
        game = gf.game("othello")
    except GameforgeError as error:
        pytest.skip(str(error))
    rng = np.random.default_rng(1)
    states, utilities = [], []
    for _ in range(10):
        position = game.position()
        passed = []
        while position.outcome is None:
            position = position.play(position.legal_moves[rng.integers(len(position.legal_moves))])
            passed.append((position.state, game.rules.side_to_move(position.state)))
        winner = position.outcome.winner
        for state, to_move in passed:
            states.append(state)
            utilities.append(0.0 if winner is None else -1.0 if winner == to_move else 1.0)
    examples = Examples(
        states=np.array(states, np.uint64), utilities=np.array(utilities, np.float32),
        visits=np.ones(len(states), np.uint32), test=rng.random(len(states)) < 0.1,
    )  # fmt: skip
    folder = tmp_path_factory.mktemp("examples") / "random"
    write_examples(folder, game, examples)
    return folder


def pipeline(folder: Path, **parts: Any) -> gf.Pipeline:
    learner = f'cascade:examples="{folder}",activations=["tanh","gaussian"],groups=2,candidate_epochs=10'
    names = {
        "searcher": "alphabeta:depth=1", "evaluator": "cascade:neurons=2", "features": "boardbits",
        "learner": learner, "oracle": "none",
    }  # fmt: skip
    return gf.Pipeline(game=parts.pop("game", "othello"), **(names | parts))


MEASURED = Yardstick(games=2)


@pytest.fixture(scope="module")
def whole(othello: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run from its beginning to its end."""
    return pipeline(othello).run(tmp_path_factory.mktemp("whole") / "run", seed=4, yardstick=MEASURED)


def test_a_run_from_a_folder_of_examples(whole: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Through a run: metrics, a copy of the net after every neuron, the picture."""
    assert sorted(path.name for path in (whole.folder / "generations").iterdir()) == [
        "neurons-0", "neurons-1", "neurons-2",
    ]  # fmt: skip
    figures = pytest.importorskip("matplotlib.figure")
    drawn: list[Any] = []
    save = figures.Figure.savefig
    monkeypatch.setattr(figures.Figure, "savefig", lambda self, *a, **b: (drawn.append(self), save(self, *a, **b)))
    report = RunReport.read(whole.folder)
    shown = panels([report])
    strength = [name for name in shown if name.startswith("yardstick ")]
    assert "yardstick score" in strength
    assert shown[: len(strength) + 1] == [*strength, "train mse"]  # the strength comes first
    write_curves([report], default_registry(), tmp_path / "plot.png")
    assert (tmp_path / "plot.png").stat().st_size > 10_000
    assert all(tick == round(tick) for tick in drawn[0].axes[-1].get_xticks())  # whole neurons


def test_a_run_that_is_broken_off_goes_on(
    othello: Path, whole: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also with another number of workers."""
    monkeypatch.setattr("gameforge.training.checkpoint.SHARE", 1e9)

    class Enough(Exception):
        pass

    class Breaks:
        @hookimpl
        def gameforge_checkpoint(self, progress: Any) -> None:
            if progress.session == 2:
                raise Enough

    with pytest.raises(Enough):
        pipeline(othello).run(tmp_path / "broken", seed=4, workers=2, yardstick=MEASURED, subscribers=[Breaks()])
    run = Pipeline.resume(tmp_path / "broken")
    assert run.trained is not None
    assert whole.trained is not None
    assert (run.trained.weights == whole.trained.weights).all()
    metrics = [(folder / "metrics.jsonl").read_bytes() for folder in (whole.folder, tmp_path / "broken")]
    assert metrics[0] == metrics[1]


def test_it_keeps_the_contract_of_learners(othello: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["check", "learner", f"cascade:examples={othello},groups=1,candidate_epochs=3", "--game", "othello"]
    net = ["--evaluator", "cascade:neurons=1", "--features", "boardbits"]
    assert run_command([*command, *net]) == 0
    assert "8 checks: 7 passed, 1 skipped" in capsys.readouterr().out
    assert run_command(["check", "searcher", "uct", *net[:2]]) == 2
    assert "only learners are checked with one" in capsys.readouterr().err


BAD = [
    ({"evaluator": "mlp"}, "needs the evaluator cascade, not Mlp"),
    ({"game": "morris", "features": "none"}, "needs a feature map for its inputs; name one with features="),
]


@pytest.mark.parametrize(("parts", "message"), BAD)
def test_what_it_cannot_train_is_refused(othello: Path, tmp_path: Path, parts: dict[str, Any], message: str) -> None:
    with pytest.raises(GameforgeError, match=message) as error:
        pipeline(othello, **parts).run(tmp_path / "run")
    assert "\n" not in str(error.value)


def test_examples_that_are_not_there_are_refused(tmp_path: Path) -> None:
    with pytest.raises(GameforgeError, match="nowhere"):
        pipeline(tmp_path / "nowhere").run(tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("activations=[]", "one or more of sigmoid"),
        ('activations=["gausian"]', "did you mean 'gaussian'"),
        ("steepnesses=[0.0]", "numbers above 0"),
        ("groups=0", "a whole number from 1 to 256"),
        ("groups=256", "10240 candidates; at most 4096"),
        ("candidate_epochs=0", "a whole number from 1"),
        ("output_change=2.0", "a number from 0 to 1"),
        ("multiplier=0.0", "above 0"),
        ("algorithm=quickprop", "algorithm"),
        ("rule=rprop", "rule"),
        ("candidate_error=fann", "candidate_error"),
    ],
)
def test_wrong_parameters_are_refused_in_one_sentence(settings: str, message: str) -> None:
    with pytest.raises(GameforgeError) as error:
        pipeline(Path("x"), learner=f"cascade:examples=x,{settings}")
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_uncompiled_it_learns_the_same() -> None:
    settings: dict[str, Any] = {"activations": ("tanh", "cos"), "groups": 1}
    settings |= {"candidate_epochs": 4, "candidate_least": 0, "output_epochs": 4}
    program = (
        "from cascade_toys import Grown, parity\n"
        f"print(Grown(parity(2), parity(2), 1, **{settings}).trained.generations[1][1].tobytes().hex())\n"
    )
    compiled = Grown(parity(2), parity(2), 1, **settings)
    assert printed_uncompiled(program).strip() == compiled.trained.generations[1][1].tobytes().hex()
