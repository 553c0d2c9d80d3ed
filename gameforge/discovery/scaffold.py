"""Writing a new plugin from the texts in `templates/`: a small working example whose tests pass.

The files in `templates/plugin/` are for components of every kind, those in the other folders for one kind. `$name`,
`$package`, `$component` (the class), `$kind` and `$distribution` are substituted; `package` in the name of a file
stands for the name of the new package.
"""

import importlib.util
import re
import string
import tempfile
from pathlib import Path

from gameforge.config.outside import require_path
from gameforge.errors import GameforgeError, near

KINDS = ("rules", "features", "evaluator", "searcher", "learner", "oracle", "book")
"""The kinds of component that have a template."""

_TEMPLATES = Path(__file__).with_name("templates")
_NAME = re.compile(r"[a-z][a-z0-9]*([_-][a-z0-9]+)*")


def write_plugin(kind: str, name: str, folder: Path, *, package: bool = False) -> list[Path]:
    """Write a plugin with one component into a new folder, and return its files, relative to the folder.

    package: also write what a repository of its own needs, such as workflows that test and release it.

    Raises GameforgeError for an unknown kind, an invalid name, a name whose package already exists, and a folder
    that already exists or whose parent does not exist.
    """
    if kind not in KINDS:
        raise GameforgeError(f"there is no template for {kind!r}{near(kind, KINDS)}; known: {', '.join(KINDS)}")
    if not _NAME.fullmatch(name) or name == "none":
        raise GameforgeError(
            f"{name!r} cannot be the name of a component; allowed: lowercase letters and digits, with '-' between words"
        )
    module = f"gameforge_{name.replace('-', '_')}"
    if importlib.util.find_spec(module) is not None:
        raise GameforgeError(f"there is already a package {module}; choose another name than {name!r}")
    require_path(folder, new=True)
    if folder.exists() or folder.is_symlink():
        raise GameforgeError(f"{folder} already exists", advice="choose another folder", parameter="out")
    if not folder.absolute().parent.is_dir():
        raise GameforgeError(f"cannot create {folder}: the folder {folder.parent} does not exist")
    words = {
        "kind": kind,
        "name": name,
        "package": module,
        "component": "".join(word.capitalize() for word in (*re.split("[_-]", name), kind)),
        "distribution": module.replace("_", "-"),
    }
    files = {}
    for template in ("plugin", kind, *(["package"] if package else [])):
        for path in sorted((_TEMPLATES / template).rglob("*.txt")):
            name_of_file = str(path.relative_to(_TEMPLATES / template)).removesuffix(".txt").replace("package", module)
            files[Path(name_of_file)] = string.Template(path.read_text(encoding="utf-8")).substitute(words)
    try:
        with tempfile.TemporaryDirectory(dir=folder.absolute().parent) as temporary:
            written = Path(temporary) / "plugin"
            for place, text in files.items():
                (written / place).parent.mkdir(parents=True, exist_ok=True)
                (written / place).write_text(text, encoding="utf-8")
            written.rename(folder)
    except OSError as error:
        raise GameforgeError(f"cannot write {folder}: {error.strerror}") from error
    return sorted(files)
