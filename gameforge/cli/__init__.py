"""The command line: `main` starts it, and each command has a module in `commands`, which is imported when it is called.

What several commands need:
* `options`: options, their help, and the files that they name; `players`: the game, the player, the oracles and the
  limits that options describe
* `terminal`: plain input and output; `console`: output with rich, and the progress of preparations
* `figures`: numbers and scores as text; `analysed_games`: judged moves as text and as a plot; `pictures`: PNG files;
  `learning_curves`: plots of runs
* `match_display`, `training_display`, `play_session`, `probe`: what matches, trainings, games against a person and
  oracles print
"""
