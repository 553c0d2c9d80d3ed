"""The searcher of both players in the matches of a training."""

from collections.abc import Mapping
from typing import Any

import attrs

from gameforge.config import Spec, spec_from_settings
from gameforge.interfaces.learner import Site

NODES = 2000
"""Nodes of a search in these matches, unless the pipeline or the training says otherwise."""
_OTHER_LIMITS = ("depth", "time")


def match_searcher(site: Site, chosen: Spec | None) -> Spec | None:
    """Return the chosen searcher, or else the pipeline's with a limit of nodes; None: the pipeline's as it is.

    At equal depth the player with the larger trees would have an advantage. A limit of nodes replaces limits of depth
    and time. The pipeline's searcher stays as it is if it limits its nodes already, or cannot limit them.
    """
    if chosen is not None:
        return chosen
    kind: type[Any] = type(site.parts.searcher)
    settings: Mapping[str, Any] = site.settings["searcher"]
    if "nodes" in settings or not attrs.has(kind) or "nodes" not in attrs.fields_dict(kind):
        return None
    spec = spec_from_settings(settings, "searcher")
    kept = {name: value for name, value in spec.params.items() if name not in _OTHER_LIMITS}
    return Spec(spec.use, {**kept, "nodes": NODES})
