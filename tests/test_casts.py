"""Pictures of the terminal show what the commands above them print."""

import html
import re
import subprocess
from pathlib import Path

import casts
import pytest
from casts import Cast
from elsewhere import ROOT

CASTS = casts.casts()
FIGURE = re.compile(r"[\d.,]+( ?(ms|s|min|h|games/s|games/min|games/h)\b)?")


def words(picture: str) -> str:
    """The text of a picture without figures and spaces: speeds and their units differ, and lines break elsewhere."""
    text = html.unescape("".join(re.findall(r"<text[^>]*>([^<]*)<", picture))).replace("\xa0", " ")
    return re.sub(r"\s", "", FIGURE.sub("", text))


@pytest.mark.docs
@pytest.mark.parametrize("cast", CASTS, ids=lambda cast: cast.name)
def test_a_picture_shows_what_the_commands_print(cast: Cast, tmp_path: Path) -> None:
    kept = (casts.PICTURES / f"{cast.name}.svg").read_text(encoding="utf-8")
    assert words(kept) == words(casts.drawing(cast, casts.recorded(cast, tmp_path))), (
        f"{cast.page.relative_to(ROOT)}: casts/{cast.name}.svg shows something else: run `python website/casts.py`"
    )


def test_speeds_may_differ() -> None:
    assert words("<text>20&#160;games/s,&#160;15&#160;s</text>") == words(
        "<text>1.5&#160;games/min,&#160;3.4&#160;h</text>"
    )


def test_no_picture_is_left_over() -> None:
    assert sorted(f"{cast.name}.svg" for cast in CASTS) == sorted(path.name for path in casts.PICTURES.iterdir())


def test_colours_and_styles_are_drawn(tmp_path: Path) -> None:
    """What a program prints over its own text, as a live display does, is gone; so are fonts from other hosts."""
    program = r"gameforge() { printf 'old\r\033[33mnew\033[0m <\033[1;38;5;208mb\033[0m\n'; }; gameforge"
    cast = Cast("test", ROOT / "docs" / "index.md", program)
    screen = casts.recorded(cast, tmp_path)
    assert screen.plain.splitlines()[-1] == "new <b"
    picture = casts.drawing(cast, screen)
    assert re.search(r"test-r5 \{ fill: #ff8700;font-weight: bold \}[\s\S]*test-r5\"[^>]*>b<", picture)
    assert "url(" not in re.sub(r"url\(#[\w-]+\)", "", picture)


def test_a_command_that_fails_stops_the_recording(tmp_path: Path) -> None:
    with pytest.raises(subprocess.CalledProcessError, match="exit status 2"):
        casts.recorded(Cast("test", ROOT / "docs" / "index.md", "gameforge perft --game nothing --depth 1"), tmp_path)
