"""Tools for testing plugins: contract checks for each kind of component, and perft files.

from gameforge.testing import check

def test_contract():
    check("rules", MyGame()).require()
"""

from gameforge.testing.contract import check
from gameforge.testing.perft_file import perft_file
from gameforge.testing.toy import Greedy, Pile, Theory

__all__ = ["Greedy", "Pile", "Theory", "check", "perft_file"]
