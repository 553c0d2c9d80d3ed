"""A map of the species of the last generation: the more similar two individuals are, the closer they lie."""

from collections.abc import Mapping
from typing import Any

INCHES = 5.0


def draw_species(species: Mapping[str, Any], axis: Any) -> None:
    """Draw the species of a run's summary into matplotlib's axes.

    species: `representatives`, one number each; `members`, lists of numbers; `places`, lists of their (x, y).
    """
    columns = (species[key] for key in ("representatives", "members", "places"))
    for i, (representative, members, places) in enumerate(zip(*columns, strict=True)):
        x, y = zip(*places, strict=True)
        label = f"{representative}: {len(members)}"
        axis.scatter(x, y, s=18, color=f"C{i % 10}", label=label, marker="o" if i < 10 else "x")
        elected = members.index(representative)
        axis.scatter(x[elected], y[elected], s=160, color=f"C{i % 10}", marker="*", edgecolors="black", zorder=3)
    axis.set_aspect("equal", "datalim")
    title = "species of the last generation; distances show differences, stars representatives"
    axis.set_title(title, fontsize="small")
    axis.legend(
        title="representative: members",
        fontsize="small",
        title_fontsize="small",
        loc="center left",
        bbox_to_anchor=(1, 0.5),
    )
    axis.grid(alpha=0.3)
