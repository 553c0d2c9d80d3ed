"""The documentation as a site: it builds without a warning, loads nothing from elsewhere, and `gameforge docs` opens
it."""

import functools
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import threading
import webbrowser
from collections.abc import Callable, Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import architecture
import pytest
from dialect import adapted, cited, with_anchors
from elsewhere import pages_elsewhere, rewritten

from gameforge.cli import main
from gameforge.cli.commands import docs

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).resolve().parents[1]
needs_mkdocs = pytest.mark.skipif(
    importlib.util.find_spec("material") is None, reason="the extra docs is not installed; CI builds the site"
)
LOADED = re.compile(r"""<(?:script|img|iframe|source)[^>]+src=["'](https?:)?//|<link[^>]+stylesheet[^>]+//""")


def build(config: Path, to: Path) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", str(config), "-d", str(to)]
    nowhere = dict.fromkeys(("http_proxy", "https_proxy"), "http://127.0.0.1:9")  # a download would fail
    return subprocess.run(command, env=os.environ | nowhere, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = build(ROOT / "mkdocs.yml", folder)
    assert done.returncode == 0, done.stderr
    return folder


@needs_mkdocs
class TestSite:
    def test_every_page_is_on_it(self, site: Path) -> None:
        pages = [path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")]
        pages += pages_elsewhere().values()
        assert len(pages) > 50
        for page in pages:
            name = page.removesuffix("README.md") + "index.html" if page.endswith("README.md") else page[:-2] + "html"
            assert (site / name).exists(), page

    def test_it_fits_into_the_wheel(self, site: Path, tmp_path: Path) -> None:
        """Without the index for servers, which the wheel leaves out. The rest of the wheel has 2.4 MB of 5."""
        kept = shutil.copytree(site, tmp_path / "kept", ignore=shutil.ignore_patterns("search_index.json"))
        assert Path(shutil.make_archive(str(tmp_path / "site"), "zip", kept)).stat().st_size < 2_580_000

    def test_no_page_is_large(self, site: Path) -> None:
        assert {page.name: page.stat().st_size for page in site.rglob("*.html") if page.stat().st_size > 300_000} == {}

    def test_nothing_is_loaded_from_another_host(self, site: Path) -> None:
        for page in site.rglob("*.html"):
            assert LOADED.search(page.read_text(encoding="utf-8")) is None, page

    @pytest.mark.parametrize(
        ("text", "message"),
        [("[a](nowhere.md)", "nowhere.md"), ("[a](#nowhere)", "#nowhere"), ("![a](no.png)", "no.png")],
    )
    def test_a_broken_link_stops_the_build(self, text: str, message: str, tmp_path: Path) -> None:
        (tmp_path / "docs").mkdir()
        (tmp_path / "docs" / "index.md").write_text(f"# Page\n\n{text}\n")
        config = (ROOT / "mkdocs.yml").read_text().partition("\nnav:")[0].replace("- website", f"- {ROOT}/website")
        config = re.sub(r"watch:\n(  - .*\n)+", "", config)
        config = re.sub(r"hooks:\n(  - .*\n)+", "", config)
        (tmp_path / "mkdocs.yml").write_text(config)
        done = build(tmp_path / "mkdocs.yml", tmp_path / "site")
        assert done.returncode == 1
        assert message in done.stderr


def test_the_picture_of_the_packages_is_up_to_date() -> None:
    assert architecture.PICTURE.read_text(encoding="utf-8") == architecture.drawn(), (
        "docs/architecture.svg shows other imports: run `python website/architecture.py`"
    )


def test_a_line_that_follows_from_others_is_left_out() -> None:
    rows, uses = [["a"], ["b"], ["c"]], {"a": frozenset("bc"), "b": frozenset("c"), "c": frozenset("a")}
    assert architecture.picture(rows, uses).count("<path") == 2


def test_files_that_the_code_map_names_exist() -> None:
    text = (ROOT / "docs" / "code-map.md").read_text(encoding="utf-8")
    names = re.findall(r"`((?:gameforge|tests|plugins|website)/[\w./]+)`", text)
    assert len(names) > 30
    assert [name for name in names if not (ROOT / name).exists()] == []


@pytest.fixture(scope="module")
def built() -> Path:
    """The site where `mkdocs build` puts it, as CI does; skips the test without it."""
    if not (docs.BUILT / "index.html").exists():
        if os.environ.get("CI") == "true":
            pytest.fail("the site is not built; .ci/run builds it")
        pytest.skip("the site is not built: mkdocs build --strict")
    return docs.BUILT


@pytest.fixture(scope="module")
def host(built: Path) -> Iterator[str]:
    """The address of a server with the site, in a folder below its root as on a host of many projects."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: Any) -> None: ...

        def translate_path(self, path: str) -> str:
            return super().translate_path(path.removeprefix("/project"))

    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(built)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/project"
    server.shutdown()


@pytest.mark.browser
@pytest.mark.parametrize("hosted", [True, False], ids=["hosted", "as files"])
@pytest.mark.parametrize("page", ["index.html", "plugins/othello.html"])
def test_the_search_finds_pages(
    page: str, hosted: bool, built: Path, request: pytest.FixtureRequest, browser: "Browser"
) -> None:
    errors: list[str] = []
    tab = browser.new_page()
    tab.on("pageerror", lambda error: errors.append(str(error)))
    tab.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    tab.goto(f"{request.getfixturevalue('host') if hosted else built.as_uri()}/{page}")
    tab.keyboard.press("f")
    tab.get_by_text("Type to start searching").wait_for()
    tab.locator("input.md-search__input").press_sequentially("quiescence")
    tab.locator(".md-search-result__item a[href*='glossary.html']").first.wait_for()
    tab.close()
    assert errors == []


class TestDialect:
    def test_a_list_is_separated_from_its_paragraph(self) -> None:
        assert adapted("Rules:\n* one\n* two\n", str) == "Rules:\n\n* one\n* two\n"

    def test_a_code_block_keeps_its_text_and_gets_its_file_name_as_title(self) -> None:
        page = "A\n```python\n# nim.py\nx = [1](2)\n```\n<!-- not run: slow -->\n```sh\ny\n```\n"
        expected = 'a\n```python title="nim.py"\nx = [1](2)\n```\n```sh\ny\n```\n'
        assert adapted(page, str.lower) == expected

    def test_works_are_linked_to_the_bibliography(self) -> None:
        assert cited("see [Neto2009], [a](b)", "../bibliography.md") == (
            "see [\\[Neto2009\\]](../bibliography.md#neto2009), [a](b)"
        )
        assert 'id="neto2009"' in with_anchors("* **[Neto2009]** H. C. Neto")


class TestLinks:
    @pytest.mark.parametrize(
        ("link", "source", "expected"),
        [
            ("[a](../plugins/othello/README.md#x)", "docs/runs.md", "[a](plugins/othello.md#x)"),
            ("[a](../../docs/runs.md)", "plugins/othello/README.md", "[a](../runs.md)"),
            ("[a](../../README.md)", "plugins/othello/README.md", "[a](../index.md)"),
            ("[a](docs/runs.md)", "CONTRIBUTING.md", "[a](runs.md)"),
            ("[a](../examples/gridworld.py)", "docs/runs.md", "a (`examples/gridworld.py`)"),
            ("[a](https://example.org/x.md)", "docs/runs.md", "[a](https://example.org/x.md)"),
            ("[a](#here)", "docs/runs.md", "[a](#here)"),
        ],
    )
    def test_links_of_the_repository_become_links_of_the_site(self, link: str, source: str, expected: str) -> None:
        assert rewritten(link, source) == expected


class TestCommand:
    @pytest.fixture
    def opened(self, monkeypatch: pytest.MonkeyPatch) -> list[str]:
        addresses: list[str] = []
        note: Callable[[str], None] = addresses.append
        monkeypatch.setattr(webbrowser, "open", note)
        return addresses

    def test_it_opens_the_built_site(
        self, opened: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (tmp_path / "plugins").mkdir()
        (tmp_path / "index.html").touch()
        (tmp_path / "plugins" / "othello.html").touch()
        monkeypatch.setattr(docs, "BUILT", tmp_path)
        assert main.run(["docs"]) == 0
        assert main.run(["docs", "plugins/othello", "--no-open"]) == 0
        assert capsys.readouterr().out.split() == [f"{tmp_path}/index.html", f"{tmp_path}/plugins/othello.html"]
        assert opened == [(tmp_path / "index.html").as_uri()]
        assert main.run(["docs", "plugins/otello"]) == 2
        message = "the documentation has no page 'plugins/otello' (did you mean 'plugins/othello'?)"
        assert message in capsys.readouterr().err

    def test_without_it_the_command_prints_where_the_pages_are(
        self, opened: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr(docs, "BUILT", tmp_path / "none")
        assert main.run(["docs", "concepts"]) == 0
        assert capsys.readouterr().out.strip() == str(ROOT / "docs" / "concepts.md")
        monkeypatch.setattr(docs, "SOURCES", tmp_path / "none")
        assert main.run(["docs"]) == 2
        assert "this installation has no documentation" in capsys.readouterr().err
        assert opened == []
