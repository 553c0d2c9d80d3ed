"""Annotated games as one HTML page."""

import re
from pathlib import Path
from typing import TYPE_CHECKING

import attrs
import pytest
import toy_site
from called import gameforge

import gameforge as gf
from gameforge.interfaces.games import Annotations, GameRecord, Variation
from gameforge.interfaces.rules import Outcome
from gameforge.records.page import game_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser

EVIL = "<script>alert(1)</script>"


def annotated() -> tuple[gf.Game, GameRecord]:
    """A game of two moves with a variation, in which every text from outside is a script."""
    game = gf.game("draughts")
    first = game.position()
    second = first.play("11-15")
    end = second.play("22-18")
    [other] = second.play("23-19").moves_played[-1:]
    inner = Annotations(comments={0: EVIL, 1: "sharp"}, marks={0: "!"})
    notes = Annotations(
        tags={"Event": EVIL},
        comments={0: "Begin.", 1: EVIL},
        marks={1: "?!"},
        variations={1: (Variation(moves=(other,), annotations=inner, after="so much"),)},
    )
    record = GameRecord(
        players=("Ann & Co", EVIL),
        start=first.state,
        moves=tuple(end.moves_played),
        outcome=Outcome(None, EVIL),
        annotations=notes,
    )
    return game, record


def test_a_page_has_a_board_for_each_position_and_all_that_is_noted() -> None:
    text = game_page(*_one(annotated()))
    assert text.count("<svg") == 3
    moves = re.sub("<[^>]*>", "", text[text.index('class="moves">') + 15 :])
    order = ["Begin.", "1. 11-15", "22-18?!", "1…", "23-19!", "sharp", "so much", "draw"]
    assert [moves.index(part) for part in order] == sorted(moves.index(part) for part in order)
    assert "Ann &amp; Co - " in text


def test_nothing_from_a_file_becomes_html() -> None:
    text = game_page(*_one(annotated()))
    assert EVIL not in text
    assert text.count("<script>") == 1
    assert "default-src 'none'" in text
    assert "unsafe-inline'; script" in text  # only styles are inline; the script is named by its hash


def test_a_game_without_pictures_has_diagrams() -> None:
    game = toy_site.shuttle()
    record = GameRecord(start=game.rules.initial(), moves=(), outcome=Outcome(0, "&"))
    text = game_page(game, [record, attrs.evolve(record, number=2)])
    assert text.count("<pre>") == 2
    assert "<title>2 games</title>" in text


def test_analyze_writes_the_page(tmp_path: Path) -> None:
    games, out = tmp_path / "games.pdn", tmp_path / "games.html"
    games.write_text('[GameType "21"]\n1. 11-16 24-19 *\n\n[GameType "21"]\n1. 9-14 *\n')
    code, _ = gameforge(["analyze", str(games), "--player", "alphabeta:depth=1 + material", "--out", str(out)])
    assert code == 0
    assert out.read_text().count('<section class="game">') == 2


@pytest.mark.browser
def test_the_page_steps_through_the_game_without_a_server(browser: "Browser", tmp_path: Path) -> None:
    path = tmp_path / "game.html"
    path.write_text(game_page(*_one(annotated())))
    page = browser.new_page()
    errors: list[str] = []
    page.on("console", lambda line: errors.append(line.text))
    page.goto(path.as_uri())
    assert "Black to move" in (page.locator(".boards > .now svg").text_content() or "")
    page.get_by_role("button", name="11-15").click()
    page.locator("button[aria-current]", has_text="11-15").wait_for()
    page.keyboard.press("ArrowRight")
    page.locator("button[aria-current]", has_text="22-18").wait_for()
    assert page.locator(".boards > .now").count() == 1
    assert errors == []
    page.close()


def _one(made: tuple[gf.Game, GameRecord]) -> tuple[gf.Game, list[GameRecord]]:
    return made[0], [made[1]]
