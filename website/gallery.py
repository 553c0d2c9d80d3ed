"""Make the pictures of the gallery again by the commands of its page: `python website/gallery.py`."""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from elsewhere import ROOT

PAGE = ROOT / "docs" / "gallery.md"
PICTURES = ROOT / "docs" / "gallery"


def pictures() -> list[str]:
    """Return the pictures on the page, by their paths in the folder in which its commands run."""
    return re.findall(r"\]\(gallery/([\w/-]+\.\w+)\)", PAGE.read_text(encoding="utf-8"))


def main() -> None:
    """Run the page in a new folder and keep its pictures."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, ROOT / "tests" / "document.py", PAGE], cwd=folder, check=True)
        for name in pictures():
            (PICTURES / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(Path(folder, name), PICTURES / name)


if __name__ == "__main__":
    main()
