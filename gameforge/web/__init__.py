"""The browser board: a local server over the library, and a page that talks to it.

The page keeps the game (its tree of moves, comments, clocks); the server keeps none. Each request names the game, its
initial position and the moves, so a page survives a restart of the server, and two tabs never disturb each other.

The server:
* `serving`: binds the port, opens the browser, shuts down cleanly; the routes
* `access`: the token, the cookie, and the checks before every request
* `channel`: one websocket for each tab; a message starts a task, which answers once or several times; its table lists
  the messages that a page can send, each an attrs class with a method `answer`
* `requests`: the messages about a game; `folders`: those about the folder of runs; `trainings`: those about runs and
  studies; `matches` and `match_games`: those about matches
* `site`: what all tabs share: games, players, threads for searches, and what a page may name
* `searches`: searches in threads, which end at once when they are no longer needed; `analyses`: what they compute
* `databases`: databases of games, and large files that are read into one; `database_games`: the messages about them
* `views`: games and positions as JSON; `files`: games from files and to files

The page, plain ES modules in `client/`: `main` joins the views; `connection` sends requests; `tree` is the game, and
`session` keeps it in the browser; `choosing` turns clicks into moves; `board` draws; each view (`play`, `analyse`, ...)
has its own module, and so have dialogs and charts. uPlot (MIT, in `client/vendor`) paints the charts. To add a view,
write a class as `View` in `main` describes it, and list it there.
"""
