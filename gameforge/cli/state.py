"""What every command gets from the options before its name, as `ctx.obj`."""

import attrs

from gameforge.plugins.registry import Registry


@attrs.frozen
class State:
    """`registry`: the components of all plugins, those of `--plugin` included."""

    registry: Registry
