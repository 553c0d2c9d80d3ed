"""Every code block of every page does what the page says (conventions in document.py)."""

import re
import subprocess
import sys
from pathlib import Path

import document
import gallery
import pytest

from gameforge.cli.command_group import OWN, plugin_commands
from gameforge.discovery.registry import default_registry

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted(
    page
    for pattern in ("*.md", "docs/**/*.md", "plugins/*/README.md", "examples/**/*.md")
    for page in ROOT.glob(pattern)
)


def run(page: Path, folder: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, document.__file__, str(page)], cwd=folder, capture_output=True, text=True, check=False
    )


@pytest.mark.docs
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_page(page: Path, tmp_path: Path) -> None:
    if not any(block.run and block.language for block in document.blocks(page.read_text(encoding="utf-8"))):
        return
    done = run(page, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    if page == gallery.PAGE:
        missing = [name for name in gallery.pictures() if not (tmp_path / name).exists()]
        assert missing == [], "docs/gallery.md: no command makes these pictures"


def test_the_gallery_has_no_picture_that_nobody_makes() -> None:
    kept = [path.relative_to(gallery.PICTURES).as_posix() for path in gallery.PICTURES.rglob("*.*")]
    assert sorted(set(kept) - set(gallery.pictures())) == [], "docs/gallery.md: nobody makes these pictures any more"
    assert sorted(set(gallery.pictures()) - set(kept)) == [], "docs/gallery.md: run `python website/gallery.py`"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_stands_in_a_block_that_is_run(page: Path) -> None:
    """A block in another language, or without one, would hide its commands from test_page."""
    for block in document.blocks(page.read_text(encoding="utf-8")):
        if block.language not in ("sh", "console"):
            hidden = re.search(r"^(\$ )?gameforge .*", block.text, re.MULTILINE)
            assert hidden is None, f"line {block.line}: {hidden and hidden[0]!r} is in a block of {block.language!r}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_in_the_text_exist(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    offers = plugin_commands(default_registry().plugins)[0]
    known = {command.name for command in OWN} | set(offers)
    for command in re.findall(r"`gameforge\s+([a-z][a-z-]*)", text):
        assert command in known or page.parent.name == "third_party_plugin", f"there is no command {command!r}"


def page_of(text: str, folder: Path) -> Path:
    page = folder / "page.md"
    page.write_text(text.replace("'''", "```"))
    return page


class TestDocument:
    def test_blocks_are_found_with_their_place(self) -> None:
        text = "A\n```python\nx = 1\n```\n<!-- not run: slow -->\n```sh\ny\n```\n```\nplain\n```\n"
        found = [(b.language, b.text, b.line, b.run) for b in document.blocks(text)]
        assert found == [("python", "x = 1\n", 3, True), ("sh", "y\n", 7, False), ("", "plain\n", 10, True)]

    def test_blocks_of_a_list_are_dedented(self) -> None:
        (block,) = document.blocks("1. A\n\n   ```python\n   if x:\n       y\n   ```\n")
        assert (block.language, block.text) == ("python", "if x:\n    y\n")

    def test_a_block_without_end(self) -> None:
        with pytest.raises(document.Wrong, match="line 1"):
            list(document.blocks("```python\nx = 1\n"))

    def test_blocks_share_a_namespace_and_files(self, tmp_path: Path) -> None:
        text = "'''python\n# part.py\ny = 2\n'''\n'''python\nimport part\n'''\n'''python\nassert part.y == 2\n'''\n"
        done = run(page_of(text, tmp_path), tmp_path)
        assert (done.returncode, done.stderr) == (0, "")

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("\n'''python\n1 / 0\n'''\n", 'page.md", line 3'),
            ("'''sh\npip install x\n'''\n", "calls something else than gameforge"),
            ("'''sh\ngameforge perft --game nothing --depth 1\n'''\n", "ended with code 2"),
            ("'''console\n$ gameforge --version\ngameforge of another world\n'''\n", "instead of"),
            ("'''console\n$ gameforge --version\nerror: none\n'''\n", "ended with code 0"),
            ("'''toml\ngame = \n'''\n", "TOMLDecodeError"),
            ("'''toml\ngame = 'nothing'\n'''\n", "unknown game 'nothing'"),
            ("'''python\n# a.py\nx\n'''\n'''python\nimport a\n'''\n", "NameError"),
        ],
    )
    def test_what_is_wrong_is_told(self, text: str, message: str, tmp_path: Path) -> None:
        done = run(page_of(text, tmp_path), tmp_path)
        assert done.returncode == 1
        assert message in done.stderr

    def test_marked_blocks_and_other_languages_are_left_out(self, tmp_path: Path) -> None:
        text = "<!-- not run: why -->\n'''python\n1 / 0\n'''\n'''text\n1 / 0\n'''\n"
        assert run(page_of(text, tmp_path), tmp_path).returncode == 0

    def test_progress_is_not_compared(self) -> None:
        slow = [
            "compiling kernels (first run only)",
            "+0 =0 -1  Elo unknown; 1 of 40 games",
            "1 of 300 games, 52 games/h, 70 s, 5.8 h left",
            "a - b: 1 won",
        ]
        assert document.PROGRESS.sub("", "\n".join(slow)) == slow[-1]

    def test_a_page_may_continue_another(self, tmp_path: Path) -> None:
        (tmp_path / "first.md").write_text("```python\n# part.py\ny = 2\n```\n```python\n1 / 0\n```\n")
        text = "<!-- continues first.md -->\n'''python\nimport part\n\nassert part.y == 2\n'''\n"
        done = run(page_of(text, tmp_path), tmp_path)
        assert (done.returncode, done.stderr) == (0, "")

    def test_a_page_may_begin_with_folders(self, tmp_path: Path) -> None:
        (tmp_path / "kept" / "some").mkdir(parents=True)
        (tmp_path / "kept" / "some" / "experiment.json").write_text('{"scale": 1, "gameforge": "0.0.0"}')
        (tmp_path / "there").mkdir()
        check = "import gameforge as gf\n\nassert gf.__version__ in open('some/experiment.json').read()\n"
        text = f"<!-- begins with kept -->\n'''python\n{check}'''\n"
        done = run(page_of(text, tmp_path), tmp_path / "there")
        assert (done.returncode, done.stderr) == (0, "")

    def test_console_output_with_gaps(self, tmp_path: Path) -> None:
        commands = "$ gameforge --version\ngameforge ...\n$ gameforge nothing\nerror: unknown command 'nothing'...\n"
        done = run(page_of(f"'''console\n{commands}'''\n", tmp_path), tmp_path)
        assert done.returncode == 0, done.stderr
