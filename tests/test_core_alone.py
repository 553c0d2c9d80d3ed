"""The core names no game and needs no plugin; a plugin needs only the plugins that it declares."""

import json
import os
import re
from pathlib import Path

import pytest
from built_in import BUILT_IN
from plugin_site import Site
from toy_site import TOY

import gameforge

ROOT = Path(__file__).parents[1]
GAMES = re.compile(
    r"draught|checkers|othello|\breversi\b|morris|(?<!li)chess|connect[ -]?four|gomoku|tic-?tac|noughts|WCDF",
    re.IGNORECASE,
)
DECLARED = {
    "any_game": {"any_game"},
    "draughts": {"draughts"},
    "othello": {"othello"},
    "morris": {"morris", "retrograde"},
    "draughts_family": {"draughts_family", "draughts", "retrograde"},
    "egdb_chinook": {"egdb_chinook", "draughts", "retrograde"},
    "retrograde": {"retrograde"},
    "search_minimax": {"search_minimax"},
    "search_handicap": {"search_handicap"},
    "search_mcts": {"search_mcts"},
    "eval_mlp": {"eval_mlp"},
    "learn_td": {"learn_td"},
    "learn_ga": {"learn_ga"},
    "learn_gumbel": {"learn_gumbel"},
    "neurodraughts": {"neurodraughts", "draughts", "eval_mlp"},
    "ls_draughts": {"ls_draughts"},
    "learn_cem": {"learn_cem"},
    "eval_cascade": {"eval_cascade", "examples"},
    "uct_ccnn": {"uct_ccnn", "examples"},
    "eval_subboard": {"eval_subboard", "draughts"},
    "eval_patterns": {"eval_patterns"},
    "eval_nnue": {"eval_nnue"},
    "learn_evolve": {"learn_evolve"},
    "oracle_gated": {"oracle_gated"},
    "eval_mixed": {"eval_mixed"},
    "search_vote": {"search_vote", "eval_mixed"},
    "kim_cho": {"kim_cho"},
    "examples": {"examples"},
    "learn_regress": {"learn_regress", "examples"},
    "engines": {"engines"},
    "interop_openspiel": {"interop_openspiel"},
    "interop_pettingzoo": {"interop_pettingzoo"},
}
"""Each plugin, with the plugins that its README declares."""


def test_the_core_names_no_game() -> None:
    core = Path(gameforge.__file__).parent
    made = {"__pycache__", "documentation"}  # folders that Python and mkdocs write
    files = [file for file in core.rglob("*") if file.is_file() and made.isdisjoint(file.relative_to(core).parts)]
    assert len(files) > 50
    lines = [f"{file.relative_to(core)}: {line}" for file in files for line in file.read_text().splitlines()]
    assert [line for line in lines if GAMES.search(line)] == []


def test_every_plugin_is_tested() -> None:
    assert set(DECLARED) == set(BUILT_IN)


IMPORTS = """
import gc, json, os, sys, warnings
import attrs, email.message, numba, numpy, pluggy  # once for all plugins; GameForge is imported for each plugin anew

gc.disable()  # lest copies search numba's objects for cycles
warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
for plugin in sys.argv[1:]:
    copy = os.fork()
    if copy:
        assert os.waitpid(copy, 0)[1] == 0, plugin
        continue
    os.environ["GAMEFORGE_PLUGINS"] = plugin
    from gameforge.discovery.registry import default_registry
    registry = default_registry()
    assert not registry.plugins.failures, registry.plugins.failures
    for what in [offer.what for offer in registry.plugins.components]:
        if what.kind == "preset":
            registry.preset(what.name)
        elif what.kind == "player":
            registry.player_folder(what.name, what.game)
        else:
            registry.load(what)
    packages = {name.partition(".")[0] for name in sys.modules}
    print(json.dumps([plugin, [name for name in packages if name.startswith("gameforge_")]]), flush=True)
    os._exit(0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="copies a process")
def test_a_plugin_with_its_declared_plugins(site: Site) -> None:
    """It is listed without a failure, all that it offers can be imported, and no other plugin is imported."""
    done = site.python(IMPORTS, *DECLARED)
    assert done.stderr == ""
    undeclared = {
        plugin: {*imported} - {f"gameforge_{name}" for name in DECLARED[plugin]}
        for plugin, imported in map(json.loads, done.stdout.splitlines())
    }
    assert undeclared == {plugin: set() for plugin in DECLARED}


def test_perft_with_the_rules_alone(site: Site) -> None:
    done = site.run("perft", "--game", "draughts", "--depth", "4", "--json", GAMEFORGE_PLUGINS="draughts")
    assert [json.loads(line)["leaves"] for line in done.stdout.splitlines()] == [7, 49, 302, 1469]


def test_perft_loads_nothing_that_it_does_not_use(site: Site) -> None:
    """Neither displays nor training nor, once the kernels are compiled, what numba compiles with.

    Numba itself imports the bare package scipy, if it is installed, to check its version.
    """
    code = (
        "import sys; from gameforge.cli.main import run; "
        "code = run('perft --game draughts --depth 2'.split()); "
        "unused = {'rich', 'scipy.linalg', 'scipy.stats', 'gameforge.training', 'numba.np.linalg'}; "
        "print(code, *unused & {*sys.modules}, file=sys.stderr)"
    )
    site.run("perft", "--game", "draughts", "--depth", "2")
    assert site.python(code).stderr == "0\n"


def test_help_of_a_command_loads_no_kernel(site: Site) -> None:
    code = (
        "import sys; from gameforge.cli.main import run\n"
        "for name in sys.argv[1:]:\n"
        "    code = run([name, '--help'])\n"
        "    print(name, code, *{'numba', 'llvmlite', 'numpy'} & {*sys.modules}, file=sys.stderr)"
    )
    commands = ["run", "match", "perft", "reproduce", "warmup"]
    done = site.python(code, *commands)
    assert done.stderr.splitlines() == [f"{name} 0" for name in commands]
    assert [f"Usage: gameforge {name} " in done.stdout for name in commands] == [True] * 5


class TestWithNoPluginAtAll:
    """With the toy game's plugin file only."""

    def run(self, site: Site, *arguments: str) -> str:
        done = site.run("--plugin", str(TOY), *arguments, GAMEFORGE_PLUGINS="")
        assert done.returncode == 0, done.stderr
        return done.stdout

    def test_plugins(self, site: Site) -> None:
        lines = self.run(site, "plugins").splitlines()
        assert {line.split()[3] for line in lines[1:] if line.split()[2] == "shuttle"} == {"toy_game"}

    def test_perft(self, site: Site) -> None:
        out = self.run(site, "perft", "--game", "shuttle:stones=1", "--depth", "3", "--json")
        assert [json.loads(line)["leaves"] for line in out.splitlines()][:2] == [3, 6]
        divided = self.run(site, "perft", "--game", "shuttle", "--depth", "1", "--divide")
        assert divided == "0x0: 1\n0x1: 1\n0x2: 1\n0x3: 1\ntotal: 4\n"

    def test_match(self, site: Site) -> None:
        player = "greedy + linear:scale=2.0 + lanes"
        out = self.run(site, "match", player, player, "--game", "shuttle", "--games", "6", "--json")
        result = json.loads(out)
        assert (result["games"], result["wins"] + result["draws"] + result["losses"]) == (6, 6)
        assert result["elo"] is None or isinstance(result["elo"], float)

    def test_run_and_match_of_what_it_saved(self, site: Site) -> None:
        parts = ["--searcher", "greedy", "--evaluator", "linear", "--features", "lanes", "--learner", "drift:rounds=2"]
        out = self.run(site, "run", "--game", "shuttle", *parts, "--out", "run", "--match-games", "4")
        assert "session 2/2" in out
        assert "run saved in run" in out
        assert "of 4 games" in out.replace("\n", " ")
        assert self.run(site, "match", "run", "run/player", "--games", "2").startswith("run - run/player: ")
        again = self.run(site, "run", "run", "--out", "again", "--match-games", "0")
        assert "run saved in again" in again
        assert (site.folder / "again" / "games.trace").read_text() == (site.folder / "run" / "games.trace").read_text()

    def test_warmup(self, site: Site) -> None:
        assert re.fullmatch(r"shuttle: ready in .* s\n", self.run(site, "warmup"))
