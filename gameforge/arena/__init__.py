"""Matches and tournaments: each opening is played twice with colours swapped, and results have error bars."""

from gameforge.arena.elo import Sprt
from gameforge.arena.match import match
from gameforge.arena.openings import OPENING_PLIES, Openings, random_opening
from gameforge.arena.result import MatchResult
from gameforge.arena.workspace import Workspace

__all__ = ["OPENING_PLIES", "MatchResult", "Openings", "Sprt", "Workspace", "match", "random_opening"]
