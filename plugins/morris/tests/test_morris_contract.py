"""What every component of a kind must do (gameforge.testing), for those of this plugin."""

import pytest

from gameforge.testing import check

COMPONENTS = [
    ("rules", "morris"),
    ("rules", "morris:men=6,flying=false"),
    *(("features", f"morris/{name}") for name in ("boardbits", "points")),
    *(("evaluator", f"morris/{name}") for name in ("material", "mills", "mobility", "weighted")),
]


@pytest.mark.parametrize(("kind", "component"), COMPONENTS)
def test_the_contract_is_kept(kind: str, component: str) -> None:
    check(kind, component, game=None if kind == "rules" else "morris").require()
