"""Rows that compare the paper's figures with ours."""

from gameforge.experiments.report import Compared, Mark, Verdict, judged
from gameforge_uct_ccnn.settings import UctCcnnSettings


def claim_row(settings: UctCcnnSettings, what: str, published: str, ours: str, verdict: Verdict | None) -> Compared:
    """The row of a claim of the paper, which is about its own games only."""
    return plain_row(what, "", ours) if settings.setting.paper is None else judged(what, published, ours, verdict)


def plain_row(what: str, published: str, ours: str) -> Compared:
    """The row of a figure that is reported without a verdict; `published` may be empty."""
    return Compared(what=what, published=published, ours=ours, mark=Mark.UNAVAILABLE)
