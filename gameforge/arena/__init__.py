"""Matches and tournaments: openings in pairs with colours swapped, honest counts."""

from gameforge.arena.match import match
from gameforge.arena.openings import OPENING_PLIES, Openings, random_opening
from gameforge.arena.result import MatchResult
from gameforge.arena.sprt import Sprt
from gameforge.arena.table import Table

__all__ = ["OPENING_PLIES", "MatchResult", "Openings", "Sprt", "Table", "match", "random_opening"]
