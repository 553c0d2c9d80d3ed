"""Requests about single positions: setting one up by hand, and what an evaluator thinks of it."""

import asyncio

import attrs

from gameforge.errors import GameforgeError
from gameforge.interfaces.board import Piece
from gameforge.interfaces.units import EXPECTED_RESULT, Unit
from gameforge.play.explanation import explain
from gameforge.play.player import Player
from gameforge.play.score_unit import score_unit
from gameforge.web.requests import Line, Tab, WithPlayer
from gameforge.web.views import Json, Send

_HUNDREDTHS = Unit(one="hundredth", many="hundredths", worth=0.01)
_INPUTS = 24
"""Most inputs of a net that the page shows: those that contribute most."""


@attrs.frozen(kw_only=True)
class Arrange(Line):
    """The position with other pieces, as text; everything else is as in the position that the moves lead to."""

    pieces: list[tuple[int, int, str]]
    """(cell, side, kind) of each."""
    turn: int = attrs.field(validator=attrs.validators.in_((0, 1)))

    async def answer(self, tab: Tab, send: Send) -> Json:
        position = await self.here(tab)
        board = position.game.board
        if board is None or board.arrange is None:
            raise GameforgeError(f"positions of {self.game} cannot be set up piece by piece; enter one as text")
        cells = [cell for cell, _, _ in self.pieces]
        wrong = [cell for cell in cells if not 0 <= cell < len(board.places)]
        if wrong or len(set(cells)) != len(cells):
            raise GameforgeError("each piece needs a cell of its own on the board")
        if any(side not in (0, 1) or kind not in board.kinds for _, side, kind in self.pieces):
            raise GameforgeError(
                f"pieces belong to side 0 or 1 and are of the kinds {', '.join(map(repr, board.kinds))}"
            )
        state = board.arrange(position.state, [Piece(*piece) for piece in self.pieces], self.turn)
        text = position.game.position_text(state)
        await asyncio.to_thread(position.game.parse_position, text)  # refuses positions that cannot occur
        return {"text": text}


@attrs.frozen(kw_only=True)
class Explain(WithPlayer):
    """The static score of the position, and what each piece and each input of a net contributes for the first mover."""

    async def answer(self, tab: Tab, send: Send) -> Json:
        position = await self.here(tab)

        def work(player: Player) -> Json:
            found = explain(player, position)
            unit, decimals = score_unit(player), 1
            if unit.one in ("", "%"):
                unit, decimals = (EXPECTED_RESULT if unit.one else _HUNDREDTHS), 0
            scale = (-1.0 if position.turn else 1.0) / unit.worth
            inputs = sorted((one for one in found.inputs if one.share), key=lambda one: -abs(one.share))
            return {
                "text": tab.site.backend.score_text(found.score, player, position),
                "unit": unit.many,
                "decimals": decimals,
                "cells": [[piece.cell, scale * worth] for piece, worth in found.pieces],
                "inputs": [[one.name, one.value, scale * one.share] for one in inputs[:_INPUTS]],
                "more": max(0, len(inputs) - _INPUTS),
            }

        return await self.move(tab, send, work)
