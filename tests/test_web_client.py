"""The page's own code: unit tests by node, types by TypeScript, and its size."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from web_npm import npm_package

CLIENT = Path(__file__).parents[1] / "gameforge" / "web" / "client"
UNIT_TESTS = Path(__file__).with_name("web_client")
MOST_BYTES = 400_000


def node() -> str:
    """The path of node; skips where there is none, and fails there if CI=true."""
    path = shutil.which("node")
    if path is None:
        if os.environ.get("CI") == "true":
            pytest.fail("node is not installed")
        pytest.skip("node is not installed")
    return path


def test_the_unit_tests_of_the_client_pass() -> None:
    tests = sorted(map(str, UNIT_TESTS.glob("*.test.mjs")))
    assert len(tests) >= 4
    done = subprocess.run([node(), "--test", *tests], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_client_is_typed() -> None:
    compiler = npm_package("typescript") / "bin" / "tsc"
    done = subprocess.run([node(), str(compiler), "-p", str(CLIENT)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_client_is_small() -> None:
    assert sum(path.stat().st_size for path in CLIENT.rglob("*") if path.is_file()) < MOST_BYTES


def test_the_client_loads_nothing_from_elsewhere_and_makes_no_html_from_text() -> None:
    for path in filter(Path.is_file, CLIENT.iterdir()):
        text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        if path.suffix == ".js":
            for forbidden in (
                "innerHTML",
                "outerHTML",
                "insertAdjacentHTML",
                "document.write",
                "eval(",
                "new Function",
            ):
                assert forbidden not in text, (path.name, forbidden)
        for forbidden in ("https://", "http://", "style=", "onclick="):
            assert forbidden not in text, (path.name, forbidden)
