"""The help of arguments that describe a player (gameforge.play.player_text)."""

PLAYER_HELP = (
    "Folder of a run or saved player, a TOML file, or parts: 'SEARCHER + EVALUATOR + ORACLE' or 'SEARCHER + FOLDER'; "
    "the part none stands for no oracles."
)
