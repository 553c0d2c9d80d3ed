"""The notebooks of the documentation run without an error, and are kept with their output."""

import json
from pathlib import Path

import pytest
from notebooks import NOTEBOOKS, as_markdown, execute


@pytest.mark.docs
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook(notebook: Path, tmp_path: Path) -> None:
    pytest.importorskip("nbclient", reason="the extra test is not installed")
    kept = json.loads(notebook.read_text(encoding="utf-8"))
    done = execute(notebook, tmp_path)
    assert [shown(cell) for cell in done["cells"]] == [shown(cell) for cell in kept["cells"]], (
        f"docs/notebooks/{notebook.name} shows other kinds of output: run `python website/notebooks.py`"
    )


def shown(cell: dict[str, object]) -> list[object]:
    """The kinds of a cell's output."""
    outputs = cell.get("outputs", [])
    assert isinstance(outputs, list)
    return sorted({kind for output in outputs for kind in output.get("data", {"text": ""})})


def test_a_page_has_text_code_and_output() -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# Title\n", "text"]},
        {"cell_type": "code", "source": ["x"], "outputs": [{"text": ["\x1b[1m1\x1b[0m\n"]}]},
        {
            "cell_type": "code",
            "source": ["y"],
            "outputs": [{"data": {"text/plain": ["y"], "image/svg+xml": ["<svg/>\n"]}}],
        },
    ]
    assert as_markdown({"cells": cells}) == (
        "# Title\ntext\n\n```python\nx\n```\n\n```text\n1\n```\n\n```python\ny\n```\n\n"
        '<div class="output"><svg/> </div>\n'
    )
