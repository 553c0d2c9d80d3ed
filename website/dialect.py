"""The Markdown of the repository, which is GitHub's, as the Markdown that the site's renderer reads."""

import re
from collections.abc import Callable

_FENCE = re.compile(r"^[ ]*```.*?^[ ]*```[ ]*$", re.MULTILINE | re.DOTALL)
_NOT_RUN = re.compile(r"^[ ]*<!-- not run: .* -->\n", re.MULTILINE)
_CODE = re.compile(r"`[^`\n]*(?:\n[^`\n]+)*`")
_BLOCK_BEGINS = re.compile(r"(?:[*-]|\d+\.) |\|")
_FILE_NAME = re.compile(r"^([ ]*)```(python|toml|text)\n[ ]*# ([\w/-]+\.\w+)\n", re.MULTILINE)
_KEY = re.compile(r"(?<!\*\*)\[([A-Z][A-Za-z]+(?:19|20)\d\d)\](?![(:])")
_ENTRY = re.compile(r"^\* \*\*\[(\w+)\]\*\*", re.MULTILINE)


def adapted(markdown: str, on_prose: Callable[[str], str]) -> str:
    """Return a page in the renderer's dialect. `on_prose` gets each stretch of text between blocks of code."""
    markdown = _FILE_NAME.sub(r'\1```\2 title="\3"\n', _NOT_RUN.sub("", markdown))
    done, pieces = 0, []
    for fence in _FENCE.finditer(markdown):
        pieces += [on_prose(_separated(markdown[done : fence.start()])), fence[0]]
        done = fence.end()
    return "".join([*pieces, on_prose(_separated(markdown[done:]))])


def outside_code(text: str, change: Callable[[str], str]) -> str:
    """Apply `change` to a text, but not to the `code` in it."""
    done, pieces = 0, []
    for code in _CODE.finditer(text):
        pieces += [change(text[done : code.start()]), code[0]]
        done = code.end()
    return "".join([*pieces, change(text[done:])])


def cited(text: str, bibliography: str) -> str:
    """Link the keys of works, such as [Neto2009], to their entries on the page `bibliography`."""
    return _KEY.sub(lambda key: f"[\\[{key[1]}\\]]({bibliography}#{key[1].lower()})", text)


def with_anchors(bibliography: str) -> str:
    """Give each entry of the bibliography an anchor."""
    return _ENTRY.sub(lambda key: f'* <a id="{key[1].lower()}"></a>**\\[{key[1]}\\]**', bibliography)


def _separated(text: str) -> str:
    """Put an empty line between a paragraph and a list or table that follows it."""
    lines: list[str] = []
    for line in text.split("\n"):
        before = lines[-1] if lines else ""
        inside = before.startswith(" ") or _BLOCK_BEGINS.match(before)
        if _BLOCK_BEGINS.match(line) and before.strip() and not inside:
            lines.append("")
        lines.append(line)
    return "\n".join(lines)
