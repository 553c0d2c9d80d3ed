"""What a package index and a maintainer need: metadata, absolute links, one name, one version, and the checklist."""

import importlib.util
import re
import subprocess
import sys
import types
import zipfile
from pathlib import Path
from typing import Any

import pytest
from test_structure import PROJECT, ROOT

from gameforge.errors import DISTRIBUTION, pip_install

VERSION = PROJECT["project"]["version"]


def loaded(file: str) -> Any:
    """Import a script that is on no path."""
    spec = importlib.util.spec_from_file_location(Path(file).stem, ROOT / file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def build(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The script of the build, without hatchling, which is installed only while a package is built."""
    for kind, name in (("builders.hooks", "BuildHookInterface"), ("metadata", "MetadataHookInterface")):
        path = f"hatchling.{kind}.plugin.interface".split(".")
        for length in range(1, len(path) + 1):
            monkeypatch.setitem(sys.modules, ".".join(path[:length]), types.ModuleType(path[length - 1]))
        setattr(sys.modules[".".join(path)], name, type(name, (), {"__class_getitem__": lambda *_: object}))
    return loaded("hatch_build.py")


class TestMetadata:
    def test_the_name_of_the_distribution_has_one_place(self) -> None:
        assert PROJECT["project"]["name"] == DISTRIBUTION

    def test_commands_that_install_extras_name_the_distribution_and_an_extra(self) -> None:
        """Pages and plugins write the command out."""
        assert pip_install("plot") == f"pip install '{DISTRIBUTION}[plot]'"
        sources = [*ROOT.glob("plugins/*/gameforge_*/**/*.py"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("*.md")]
        command = re.compile(r"pip\s+install\s+'([^'\s]+)\[(\w+)\]'")
        found = [one for path in sources for one in command.findall(path.read_text(encoding="utf-8"))]
        assert len(found) > 5
        assert {name for name, _ in found} == {DISTRIBUTION}
        assert {extra for _, extra in found} <= set(PROJECT["project"]["optional-dependencies"])

    def test_the_citation_has_the_version(self) -> None:
        assert f"\nversion: {VERSION}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")

    def test_the_licence_is_an_spdx_expression(self) -> None:
        assert PROJECT["project"]["license"] == "MIT"
        assert not [one for one in PROJECT["project"]["classifiers"] if one.startswith("License")]

    def test_numba_has_an_upper_bound(self) -> None:
        (numba,) = [one for one in PROJECT["project"]["dependencies"] if one.startswith("numba")]
        assert re.fullmatch(r"numba>=[\d.]+,<[\d.]+", numba)


class TestPageOfTheIndex:
    def test_links_are_absolute(self, build: Any) -> None:
        page = "[a](docs/a.md#b) ![p](docs/p.png) [here](#there) [w](https://example.org)"
        assert build.with_absolute_links(page, "v1.0.0") == (
            f"[a]({build.REPOSITORY}/blob/v1.0.0/docs/a.md#b) ![p]({build.REPOSITORY}/raw/v1.0.0/docs/p.png) "
            "[here](#there) [w](https://example.org)"
        )

    def test_no_link_of_the_readme_is_relative(self, build: Any) -> None:
        """Those that were lead to files that exist, as test_sources.py checks."""
        page = build.with_absolute_links((ROOT / "README.md").read_text(encoding="utf-8"), f"v{VERSION}")
        prose = re.sub(r"^```.*?^```|`[^`\n]*`", "", page, flags=re.MULTILINE | re.DOTALL)
        targets = re.findall(r"\]\(([^)]*)\)", prose)
        assert len(targets) > 20
        assert [target for target in targets if not target.startswith(("https://", "#"))] == []

    def test_the_build_fills_the_metadata(self, build: Any) -> None:
        hook = object.__new__(build.Metadata)
        hook.__dict__["root"] = str(ROOT)
        metadata: dict[str, Any] = {"version": VERSION}
        hook.update(metadata)
        assert set(metadata) - {"version"} == set(PROJECT["project"]["dynamic"])
        assert all(address.startswith(("https://github.com/", "https://")) for address in metadata["urls"].values())
        assert metadata["entry-points"]["gameforge"]["othello"] == "gameforge_othello.plugin"
        assert f"/raw/v{VERSION}/docs/web/" in metadata["readme"]["text"]


class TestChecklist:
    @pytest.fixture
    def checkout(self, tmp_path: Path) -> Path:
        """A checkout that can be released."""
        files = {
            "pyproject.toml": '[project]\nname = "gameforge"\nversion = "1.0.0"\n',
            "hatch_build.py": 'OWNER = "somebody"\n',
            "CHANGELOG.md": "# Changelog\n\n## 1.0.0 - 2027-01-02\n",
            "CITATION.cff": "version: 1.0.0\ndate-released: 2027-01-02\n",
            ".gitignore": "dist\n",
        }
        for name, text in files.items():
            (tmp_path / name).write_text(text)
        identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
        for command in (["init", "-q", "-b", "main"], ["add", "."], [*identity, "commit", "-qm", "All"]):
            subprocess.run(["git", *command], cwd=tmp_path, check=True)
        (tmp_path / "dist").mkdir()
        (tmp_path / "dist" / "gameforge-1.0.0.tar.gz").touch()
        self.wheel(tmp_path, "gameforge/documentation/index.html", "gameforge/py.typed")
        return tmp_path

    @staticmethod
    def wheel(checkout: Path, *files: str) -> None:
        with zipfile.ZipFile(checkout / "dist" / "gameforge-1.0.0-py3-none-any.whl", "w") as archive:
            for file in files:
                archive.writestr(file, "")

    def test_it_ends_with_the_command_that_publishes(self, checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert loaded(".ci/release.py").main(checkout) == 0
        *points, command = capsys.readouterr().out.splitlines()
        assert all(point.startswith("yes, ") for point in points)
        assert command == "publish with: git tag -a v1.0.0 -m 1.0.0 && git push origin v1.0.0"

    @pytest.mark.parametrize(
        ("file", "text", "sentence"),
        [
            ("pyproject.toml", '[project]\nname = "gameforge"\nversion = "1.0.0.dev0"\n', "is not a final version"),
            ("hatch_build.py", 'OWNER = "OWNER"\n', "is a placeholder"),
            ("CHANGELOG.md", "## Unreleased\n\n## 1.0.0 - 2027-01-02\n", "the first section of CHANGELOG.md must be"),
            ("CITATION.cff", "version: 0.9.0\ndate-released: 2027-01-02\n", "must have `version: 1.0.0`"),
            ("CITATION.cff", "version: 1.0.0\ndate-released: 2027-01-01\n", "must have `date-released: 2027-01-02`"),
            ("new.txt", "new", "the checkout has changes"),
        ],
    )
    def test_it_refuses_to_go_on(
        self, file: str, text: str, sentence: str, checkout: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (checkout / file).write_text(text)
        assert loaded(".ci/release.py").main(checkout) == 2
        output = capsys.readouterr()
        assert sentence in output.err
        assert "publish" not in output.out

    def test_it_looks_into_the_wheel(self, checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
        for files, sentence in (
            (("gameforge/py.typed",), "no documentation"),
            (("gameforge/documentation/index.html", "gameforge_x/a.py", "gameforge/py.typed"), "in gameforge_x; add"),
        ):
            self.wheel(checkout, *files)
            assert loaded(".ci/release.py").main(checkout) == 2
            assert sentence in capsys.readouterr().err
