"""The first line that every benchmark prints: the processor, and that one core is used."""

import os
import platform
from pathlib import Path


def pin() -> str:
    """Pin this process to one core and describe the machine."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    cpuinfo = Path("/proc/cpuinfo")
    names = [
        line.partition(":")[2].strip() for line in cpuinfo.read_text().splitlines() if line.startswith("model name")
    ]
    return f"{names[0] if names else platform.processor()}, one core pinned, Python {platform.python_version()}"
