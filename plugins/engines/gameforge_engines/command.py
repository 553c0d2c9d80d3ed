"""`gameforge engine`: serve a player to other programs by an engine protocol."""

import gc
import socket
import sys
from typing import Annotated

import typer

from gameforge import GameforgeError, Player, Workshop
from gameforge.cli import ChosenPlayer, Console, compilation_notice, options
from gameforge_engines import dxp
from gameforge_engines.dxp import DxpServer
from gameforge_engines.gtp import GtpServer
from gameforge_engines.hub import HubServer
from gameforge_engines.nboard import NBoardServer
from gameforge_engines.server import Thinker, options_of
from gameforge_engines.ugi import UgiServer

_ON_STANDARD_INPUT = {server.protocol: server for server in (GtpServer, NBoardServer, HubServer, UgiServer)}
PROTOCOLS = ("gtp", "nboard", "hub", "dxp", "ugi")
_MOST_SECONDS = 1e6


def engine(
    ctx: typer.Context,
    player: Annotated[
        str | None, typer.Argument(help=f"{options.PLAYER_HELP} Default: the default player of the game.")
    ] = None,
    protocol: Annotated[str, typer.Option(help=f"Protocol: {', '.join(PROTOCOLS)}.")] = "gtp",
    game: Annotated[str | None, typer.Option(help=options.game_help("player"))] = None,
    level: options.Level = None,
    depth: options.Depth = None,
    nodes: options.Nodes = None,
    simulations: options.Simulations = None,
    movetime: Annotated[
        float | None, typer.Option(help="Seconds for each move, unless the client sets a time.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of the player.")] = 0,
    port: Annotated[
        int | None,
        typer.Option(min=0, max=65535, help=f"TCP port of DXP, on this computer only. Default: {dxp.PORT}."),
    ] = None,
) -> None:
    """Serve a player to a program that speaks one of the protocols: on standard input and output, DXP over TCP."""
    if protocol not in PROTOCOLS:
        raise GameforgeError(f"--protocol {protocol}: unknown; allowed: {', '.join(PROTOCOLS)}")
    if movetime is not None and not 0 < movetime <= _MOST_SECONDS:
        raise GameforgeError(f"--movetime {movetime:g}: must be more than 0 and at most {_MOST_SECONDS:,.0f} seconds")
    if port is not None and protocol != DxpServer.protocol:
        raise GameforgeError(f"--port {port}: only dxp has a port; {protocol} uses the standard input and output")
    console = Console(highlight=False, stderr=True)
    with compilation_notice(console), console.preparation() as preparation:
        chosen = ChosenPlayer.of(player, game, Workshop(ctx.obj.registry, preparation, at_once=True))
        limits = {"depth": depth, "nodes": nodes, "simulations": simulations}
        base = chosen.made(level, **limits)
        base.reseed(seed)
        changes = options_of(chosen, limits, base, seed)
        first = next(iter(Player.growing_limits(changes.values)))
        _warm_up(chosen.limited(chosen.made(level, **limits), **first) if first else None)
    thinker = Thinker(base, changes)
    if protocol == DxpServer.protocol:
        with _listener(dxp.PORT if port is None else port) as listener:
            server = DxpServer(thinker, listener, movetime)
            console.print(f"waiting for DXP clients on port {listener.getsockname()[1]}; Ctrl-C ends it")
            server.serve()
    elif sys.stdin is None:
        raise GameforgeError(f"engine: {protocol} needs a standard input")
    else:
        _ON_STANDARD_INPUT[protocol](thinker, movetime).serve()


def _warm_up(player: Player | None) -> None:
    """Load the kernels of a search, and exempt them from garbage collections, which would take 40 ms during a search.

    player: a player other than the client's, which has not drawn random numbers; None: its search cannot be short.
    """
    if player is not None:
        player.analyse(player.game.position(), seconds=0.001)
    gc.collect()
    gc.freeze()


def _listener(port: int) -> socket.socket:
    """Open a port of this computer; GameforgeError if it is in use."""
    try:
        return socket.create_server(("127.0.0.1", port))
    except OSError as error:
        raise GameforgeError(f"--port {port}: {error.strerror or error}; choose another port") from error
