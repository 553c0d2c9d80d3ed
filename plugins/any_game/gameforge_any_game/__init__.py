"""Defaults for games that offer nothing but their rules."""
