"""Tools for testing plugins: contract checks for each kind of component, and perft files.

from gameforge.testing import check

def test_contract():
    check("rules", MyGame()).require()
"""

from gameforge.testing.contract import Report, Result, check
from gameforge.testing.perft_file import PerftLine, perft_file

__all__ = [
    "PerftLine",
    "Report",
    "Result",
    "check",
    "perft_file",
]
