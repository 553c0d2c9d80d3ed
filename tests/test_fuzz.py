"""The mutation fuzzer over all readers: 1,000 damaged inputs in the normal tests, 100,000 by `pytest -m slow`,
and as many for each reader as `--mutations` says.

A finding names reader and case: `fuzz(reader, [CASE])` repeats it.
"""

from collections.abc import Callable

import fuzz_core
import fuzz_databases
import fuzz_games
import fuzz_learners
import fuzz_protocols
import pytest
from fuzzing import Reader, cases_of, fuzz

MODULES = (fuzz_core, fuzz_databases, fuzz_games, fuzz_learners, fuzz_protocols)
READERS = [reader for module in MODULES for reader in module.READERS]


@pytest.mark.parametrize(("reader", "cases"), cases_of(READERS, 1_000))
def test_damaged_input_is_read_or_refused(reader: Reader, cases: range) -> None:
    fuzz(reader, cases)


@pytest.mark.slow
@pytest.mark.parametrize(("reader", "cases"), cases_of(READERS, 100_000))
def test_much_damaged_input_is_read_or_refused(
    reader: Reader, cases: range, request: pytest.FixtureRequest, record_property: Callable[[str, object], None]
) -> None:
    number = request.config.getoption("--mutations") or len(cases)
    fuzz(reader, range(number))
    record_property("readers", 1)
    record_property("mutations read or refused", number)


@pytest.mark.slow
@pytest.mark.parametrize("reader", fuzz_games.FORMATS, ids=lambda reader: reader.name)
def test_each_format_of_games_is_read_or_refused(reader: Reader) -> None:
    fuzz(reader, range(30_000))
