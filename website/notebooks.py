"""Notebooks as pages of the site, and their execution: `python website/notebooks.py` runs them all."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from elsewhere import ROOT

NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def as_markdown(notebook: Mapping[str, Any]) -> str:
    """Return a notebook with its output as a page."""
    return "\n\n".join(text for cell in notebook["cells"] for text in _cell(cell)) + "\n"


def _cell(cell: Mapping[str, Any]) -> Iterator[str]:
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        yield source
        return
    yield f"```python\n{source}\n```"
    for output in cell["outputs"]:
        data = output.get("data", {})
        if "text/html" in data or "image/svg+xml" in data:
            shown = "".join(data.get("image/svg+xml") or data["text/html"])
            yield '<div class="output">' + " ".join(shown.split("\n")) + "</div>"
        else:
            text = "".join(output.get("text") or data.get("text/plain") or "")
            yield f"```text\n{_COLOUR.sub('', text).rstrip()}\n```"


def execute(notebook: Path, folder: Path) -> Mapping[str, Any]:
    """Run a notebook in a folder and return it with its output; the first error is raised."""
    import nbformat
    from nbclient import NotebookClient

    content = nbformat.read(notebook, as_version=4)
    NotebookClient(content, timeout=1200, resources={"metadata": {"path": str(folder)}}, record_timing=False).execute()
    content.metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    done: Mapping[str, Any] = json.loads(nbformat.writes(content))
    return done


def main() -> None:
    """Run all notebooks in new folders and keep their output."""
    import tempfile

    for notebook in NOTEBOOKS:
        with tempfile.TemporaryDirectory() as folder:
            done = execute(notebook, Path(folder))
        notebook.write_text(json.dumps(done, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
