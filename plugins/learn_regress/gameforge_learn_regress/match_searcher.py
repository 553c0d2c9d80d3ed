"""The searcher of both players in the matches of a training."""

from collections.abc import Mapping
from typing import Any

from gameforge.config import Spec, spec_from_settings
from gameforge.interfaces.learner import Site
from gameforge.play.search_limits import limit_names, limited

NODES = 2000
"""Nodes of a search in these matches, unless the pipeline or the training says otherwise."""


def match_searcher(site: Site, chosen: Spec | None) -> Spec | None:
    """Return the chosen searcher, or else the pipeline's with a limit of nodes; None: the pipeline's as it is.

    At equal depth the player with the larger trees would have an advantage. A limit of nodes replaces all others. The
    pipeline's searcher stays as it is if it limits its nodes already, or cannot limit them.
    """
    if chosen is not None:
        return chosen
    settings: Mapping[str, Any] = site.settings["searcher"]
    if "nodes" in settings or "nodes" not in limit_names(type(site.parts.searcher)):
        return None
    spec = spec_from_settings(settings, "searcher")
    return Spec(spec.use, limited(spec.params, {"nodes": NODES}))
