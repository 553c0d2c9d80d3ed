"""Configuration: TOML settings, component strings, and their strict conversion to parameters."""

from gameforge.config.parameters import changed, strictly, structure, unstructure
from gameforge.config.settings import (
    NONE,
    Spec,
    apply_set,
    check_seed,
    dump_toml,
    flat,
    format_value,
    merge,
    normal,
    parse_value,
    read_toml,
    split_parts,
    with_value,
)

__all__ = ["changed", "strictly", "structure", "unstructure"]
__all__ += ["NONE", "Spec", "apply_set", "check_seed", "flat", "merge", "normal"]
__all__ += ["split_parts", "with_value"]
__all__ += ["dump_toml", "format_value", "parse_value", "read_toml"]
