"""`gameforge egdb`: build, check and probe endgame databases. One module per subcommand."""

import typer

from gameforge_egdb_chinook.build_command import build
from gameforge_egdb_chinook.info_command import info
from gameforge_egdb_chinook.probe_command import probe
from gameforge_egdb_chinook.stats_command import stats
from gameforge_egdb_chinook.verify_command import verify

app = typer.Typer(help="Build, check and probe endgame databases.", add_completion=False, no_args_is_help=True)
app.command()(build)
app.command()(probe)
app.command()(verify)
app.command()(info)
app.command()(stats)
