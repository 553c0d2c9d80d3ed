"""The help of arguments that describe a player (gameforge.play.described_players)."""

PLAYER_HELP = (
    "Name of a trained player (see `gameforge plugins --kind player`), folder of a run or saved player, TOML file, or "
    "parts: 'SEARCHER + EVALUATOR + ORACLE' or 'SEARCHER + PLAYER'; the part `none` turns oracles off."
)
