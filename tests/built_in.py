"""The built-in plugins: the folders in which the build (hatch_build.py) finds them."""

from pathlib import Path

ROOT = Path(__file__).parents[1]
BUILT_IN = {
    folder.name: folder
    for folder in sorted((ROOT / "plugins").iterdir())
    if (folder / f"gameforge_{folder.name}" / "plugin.py").exists()
}
"""Their folders, by name."""
