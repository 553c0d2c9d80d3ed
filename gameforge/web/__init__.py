"""The browser board: a local server over the library, and a page that talks to it.

The page keeps the game (its tree of moves, comments, clocks); the server keeps none. Each request names the game, its
initial position and the moves, so a page survives a restart of the server, and two tabs never disturb each other.

The server, one idea a module:
* `serving`: binds the port, opens the browser, shuts down cleanly
* `application`: the routes; `guard`: who may call them; `secret`: the token and the cookie
* `channel`: one websocket for each tab; a message starts a task, which answers once or several times
* `request_table`: the messages that a page can send, each an attrs class with a method `answer`: those about a game are
  in `requests` and `insight`, those about the folder of runs in `folders`, `following` and `match_following`, and
  those that start matches in `matches`
* `site`: what all tabs share: games, players, threads for searches, the folders that may be read
* `views`: games and positions as JSON; `match_views`: matches and tournaments
* `searches`: searches in threads, which end at once when they are no longer needed
* `deepening`: the analysis that keeps deepening; `judging`: the analysis of a whole game
* `files`: games from files and to files

The page, plain ES modules in `client/`: `main` joins the views; `connection` sends requests; `tree` is the game;
`choosing` turns clicks into moves; `board` draws; each view (`play`, `analyse`, ...) has its own module, and so have
dialogs and charts. To add a view, export `open(app)` from a module and list it in `main.js`.
"""
