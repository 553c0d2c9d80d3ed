"""The state that every command finds in `ctx.obj`, made from the global options."""

import attrs

from gameforge.plugins.registry import Registry


@attrs.frozen
class State:
    """The state of one invocation."""

    registry: Registry
    """The components of all plugins, including those of `--plugin`."""
