"""Matches and tournaments: each opening is played twice with colours swapped, and results have error bars."""

from gameforge.play.arena.match import match
from gameforge.play.arena.openings import OPENING_PLIES, Openings, random_opening
from gameforge.play.arena.result import MatchResult
from gameforge.play.arena.sprt import Sprt
from gameforge.play.arena.workspace import Workspace

__all__ = ["OPENING_PLIES", "MatchResult", "Openings", "Sprt", "Workspace", "match", "random_opening"]
