"""Units of scores: men, discs, mills, percent of the points, and plain scores."""

import math

import attrs
import pytest
import toy_site

import gameforge as gf
from gameforge.cli.figures import difference_text, score_numbers, score_text, unit_names
from gameforge.errors import GameforgeError
from gameforge.interfaces.evaluator import ORACLE_WIN, PLAIN, PLY, PROVEN_WIN, PieceOdds, Unit
from gameforge.play.player import Player, score_unit

MEN = Unit(one="man", many="men", worth=1 / 36)


def score_of(player: Player, position: str) -> str:
    import numpy as np

    state = player.game.position(position).state
    (score,) = player.values(np.array([state], np.uint64))
    return score_text(float(score), score_unit(player))


@pytest.mark.parametrize(
    ("game", "evaluator", "position", "text"),
    [
        ("draughts", "material", "W:W18,22:B11", "+1.00 man"),
        ("draughts", "material", "W:W18:BK11", "-0.50 men"),
        ("draughts", "material:man=2,king=3", "W:WK18,22:B11", "+1.50 men"),
        ("othello", "material", "f5", "-3.00 discs"),
        ("othello", "mobility", "f5d6", "+1.00 placement"),
        ("othello", "wpc", "f5f6e6f4", "-0.059"),
        ("morris", "material", "initial", "+0.00 men"),
    ],
)
def test_a_man_is_a_man(game: str, evaluator: str, position: str, text: str) -> None:
    player = gf.player(game, searcher="minimax:depth=1", evaluator=evaluator)
    if position == "initial":
        position = player.game.position_text(player.game.position().state)
    if evaluator == "wpc":
        assert score_unit(player) == PLAIN
    else:
        assert score_of(player, position) == text


def test_the_weights_of_an_evaluator_do_not_change_the_unit() -> None:
    rules = gf.game("morris").rules
    for settings in ("weighted", "weighted:man=3", "weighted:man=0"):
        player = gf.player("morris", searcher="minimax:depth=1", evaluator=settings)
        unit = score_unit(player)
        assert unit.many == ("" if settings.endswith("=0") else "men")
    assert rules.name == "morris"


EARLY, LATE = "f5", "O" * 20 + "X" * 34 + "-" * 10 + " X"


class TestPlayer:
    @pytest.mark.parametrize(
        ("game", "position", "score", "text"),
        [
            ("draughts", "", 0.0, "50.0 % (+0.00 men)"),
            ("draughts", "", 0.438, "71.9 % (+1.00 man)"),
            ("international", "", 0.2775, "63.9 % (+1.00 man)"),
            ("russian", "", -0.3185, "34.1 % (-1.00 man)"),
            ("frisian", "", 0.2, "60.0 %"),
            ("morris", "", 0.314, "65.7 % (+1.00 man)"),
            ("morris:men=6", "", 0.314, "65.7 %"),
            ("morris:flying=false", "", 0.314, "65.7 %"),
            ("othello", "", 0.2, "60.0 % (+11 discs)"),
            ("othello", EARLY, -0.2, "40.0 % (-11 discs)"),
            ("othello", LATE, 0.4, "70.0 % (+2 discs)"),
            ("othello", LATE, 0.2, "60.0 % (+1 disc)"),
        ],
    )
    def test_expected_results_are_shown_in_pieces_as_well(
        self, game: str, position: str, score: float, text: str
    ) -> None:
        player = gf.player(gf.game(game), searcher="uct:simulations=10")
        here = player.game.position(position) if position else player.game.position()
        assert score_text(score, score_unit(player), here.state) == text

    def test_othello_has_64_discs(self) -> None:
        unit = score_unit(gf.player("othello", searcher="uct:simulations=10"))
        state = gf.game("othello").position().state
        assert score_text(-0.99999, unit, state) == "0.0 % (-64 discs)"

    def test_a_drawn_game_of_othello_with_a_full_board_is_even(self) -> None:
        unit = score_unit(gf.player("othello", searcher="uct:simulations=10"))
        full = gf.game("othello").parse_position("X" * 32 + "O" * 32 + " X")
        assert score_text(0.0, unit, full) == "50.0 % (+0 discs)"

    def test_without_a_position_expected_results_are_shown_in_percent(self) -> None:
        assert score_text(0.2, score_unit(gf.player("othello", searcher="uct:simulations=10"))) == "60.0 %"

    def test_random_games_give_expected_results(self) -> None:
        for leaf, unit in (("simulation", "%"), ("mixed", "%"), ("evaluator", "men")):
            player = gf.player("draughts", searcher=f"uct:leaf={leaf},simulations=10", evaluator="material")
            assert score_unit(player).many == unit

    def test_a_limit_keeps_the_unit(self) -> None:
        player = gf.player("draughts", searcher="minimax:depth=1", evaluator="material")
        other = Player(player.parts.with_searcher(gf.player("draughts", searcher="minimax:depth=2").parts.searcher))
        assert score_unit(other) == score_unit(player) == MEN

    def test_nets_give_expected_results(self) -> None:
        player = gf.player("othello", searcher="minimax:depth=1", evaluator="mlp:hidden=2", features="discs")
        assert attrs.evolve(score_unit(player), piece_odds=None) == Unit.EXPECTED_RESULT

    def test_other_evaluators_give_plain_scores(self) -> None:
        player = gf.player(
            "shuttle", searcher="greedy", evaluator="linear", features="lanes", registry=toy_site.registry()
        )
        assert score_unit(player) is PLAIN


@pytest.mark.parametrize(
    ("score", "unit", "text"),
    [
        (0.5, PLAIN, "+0.500"),
        (-0.0001, PLAIN, "+0.000"),
        (1 / 36, MEN, "+1.00 man"),
        (-1.5 / 36, MEN, "-1.50 men"),
        (0.0, Unit.EXPECTED_RESULT, "50.0 %"),
        (-0.5, Unit.EXPECTED_RESULT, "25.0 %"),
        (PROVEN_WIN - 3 * PLY, MEN, "win in 3 plies"),
        (-1.0, Unit.EXPECTED_RESULT, "loss"),
    ],
)
def test_score_text(score: float, unit: Unit, text: str) -> None:
    assert score_text(score, unit) == text


@pytest.mark.parametrize(
    ("score", "unit", "numbers"),
    [
        (0.5, PLAIN, {"amount": 0.5, "pieces": None, "result": None, "plies": None}),
        (-1.5 / 36, MEN, {"amount": pytest.approx(-1.5), "pieces": None, "result": None, "plies": None}),
        (-0.5, Unit.EXPECTED_RESULT, {"amount": 25.0, "pieces": None, "result": None, "plies": None}),
        (PROVEN_WIN - 3 * PLY, MEN, {"amount": None, "pieces": None, "result": "win", "plies": 3}),
        (-PROVEN_WIN, MEN, {"amount": None, "pieces": None, "result": "loss", "plies": 0}),
        (-ORACLE_WIN + 3 * PLY, MEN, {"amount": None, "pieces": None, "result": "loss", "plies": None}),
        (1.0, Unit.EXPECTED_RESULT, {"amount": None, "pieces": None, "result": "win", "plies": None}),
    ],
)
def test_score_numbers(score: float, unit: Unit, numbers: dict[str, object]) -> None:
    assert score_numbers(score, unit, ()) == numbers


def test_difference_text() -> None:
    assert difference_text(0.5 / 36, MEN) == "0.50 men"
    assert difference_text(0.1, Unit.EXPECTED_RESULT) == "5.0 %"
    assert difference_text(0.1) == "0.100"


def test_an_expected_result_can_be_shown_in_pieces_as_well() -> None:
    odds = PieceOdds(one="man", many="men", log_odds=0.8)
    unit = attrs.evolve(Unit.EXPECTED_RESULT, piece_odds=lambda state: odds)
    chance = 1 / (1 + math.exp(-1.6))  # two men ahead
    assert score_text(2 * chance - 1, unit, ()) == f"{100 * chance:.1f} % (+2.00 men)"
    assert score_text(0.999999999, unit, ()).endswith(" men)")
    assert score_numbers(2 * chance - 1, unit, ())["pieces"] == pytest.approx(2.0)
    assert unit_names(unit, ()) == {"unit": "%", "piece_unit": "men"}


def test_the_odds_of_a_piece_may_depend_on_the_position() -> None:
    unit = attrs.evolve(
        Unit.EXPECTED_RESULT,
        piece_odds=lambda state: PieceOdds(one="man", many="men", log_odds=state[0], decimals=1) if state[0] else None,
    )
    score = math.tanh(1.0)  # log-odds 2
    assert [score_text(score, unit, (word,)) for word in (1, 4, 0)] == [
        "88.1 % (+2.0 men)",
        "88.1 % (+0.5 men)",
        "88.1 %",
    ]


def test_a_lead_has_a_limit() -> None:
    assert PieceOdds(one="man", many="men", log_odds=0.1, most=12).amount(-0.99) == -12


def test_a_unit_is_worth_something() -> None:
    with pytest.raises(GameforgeError, match="must be a number greater than 0"):
        Unit(one="man", many="men", worth=0.0)


@pytest.mark.parametrize("log_odds", [0.0, -0.5, math.inf, math.nan])
def test_a_piece_is_worth_something(log_odds: float) -> None:
    with pytest.raises(GameforgeError, match=r"^PieceOdds 'man': log_odds = .*: must be a number greater than 0$"):
        PieceOdds(one="man", many="men", log_odds=log_odds)
