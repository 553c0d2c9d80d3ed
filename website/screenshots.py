"""Pictures of the browser on the pages, which the tests make: `python website/screenshots.py FOLDER`.

FOLDER is that of GAMEFORGE_SCREENSHOTS in a run of the tests. Its pictures replace those of the pages; with `--check`,
which CI uses, nothing is written. A picture that the tests do not make any more is an error.
"""

import shutil
import sys
from pathlib import Path

from elsewhere import DOCS, ROOT

PICTURES = ROOT / DOCS / "web"


def left_over(made: Path) -> list[str]:
    """Return a line for each picture that the tests have not made, with the pages that show it."""
    pages = {page: page.read_text(encoding="utf-8") for page in sorted((ROOT / DOCS).rglob("*.md"))}
    return [
        f"{', '.join(str(page.relative_to(ROOT)) for page, text in pages.items() if f'web/{picture.name}' in text)}: "
        f"no test makes the picture {picture.name}"
        for picture in sorted(PICTURES.iterdir())
        if not (made / picture.name).exists()
    ]


def main(folder: str, *check: str) -> None:
    """Compare with the pictures of the tests, and copy them."""
    made = Path(folder)
    if missing := left_over(made):
        sys.exit("\n".join(missing))
    for picture in [] if check else PICTURES.iterdir():
        shutil.copy(made / picture.name, picture)


if __name__ == "__main__":
    main(*sys.argv[1:])
