"""From the interfaces' descriptions to the kernel's tables."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gameforge.kernel.context import RulesTable
from gameforge.kernel.functions import Function, table_function
from gameforge.rules import RulesKernel


def block(data: NDArray[Any] | None, dtype: Any = np.uint64) -> NDArray[Any]:
    """A data block as kernels take it: contiguous, writable, at least one element."""
    if data is None or len(data) == 0:
        return np.zeros(1, dtype)
    return np.require(data, dtype=dtype, requirements=["C", "W", "A"])


def _no_key(rules: Any, s: Any) -> Any:
    return np.uint64(0)


def _never_irreversible(rules: Any, s: Any, m: Any) -> Any:
    return np.uint64(0)


def _never_retracts(rules: Any, before: Any, m: Any) -> Any:
    return np.uint64(0)


def rules_table(kernel: RulesKernel) -> RulesTable:
    """Compile the functions of rules and put them into a table."""

    def entry(name: str, function: Any, otherwise: Any = None) -> Any:
        if function is None:
            return table_function(name, otherwise)
        return table_function(name, function, compiled=kernel.compiled)

    return RulesTable(
        gen=entry("gen", kernel.gen),
        play=entry("play", kernel.play),
        outcome=entry("outcome", kernel.outcome),
        key=entry("key", kernel.key, _no_key),
        irreversible=entry("irreversible", kernel.irreversible, _never_irreversible),
        retracts=entry("retracts", kernel.retracts, _never_retracts),
        data=block(kernel.data),
        words=np.uint64(kernel.words),
        max_moves=np.uint64(kernel.max_moves),
        has_key=np.uint64(kernel.key is not None),
    )


def check(*tables: Any) -> None:
    """Raise what any Python callback of these tables (nested tuples) raised inside a kernel."""
    for table in tables:
        if isinstance(table, Function):
            table.check()
        elif isinstance(table, tuple):
            check(*table)
