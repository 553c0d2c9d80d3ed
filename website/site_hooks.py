"""What mkdocs calls while it builds the site: pages from outside `docs/`, generated pages, adapted Markdown."""

import json
import posixpath
import re
import sys
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from PIL import Image

sys.path.insert(0, str(Path(__file__).parent))

from dialect import adapted, cited, outside_code, with_anchors
from elsewhere import DOCS, ROOT, pages_elsewhere, rewritten
from notebooks import NOTEBOOKS, as_markdown
from reference import reference

BIBLIOGRAPHY = "bibliography.md"
_PICTURE = re.compile(r'(?<!">)<img [^>]*src="([^"]+)"[^>]*>')
_CODE_IN_TABLE = re.compile(r"(?<=<code>)[^<]*(?=</code>)")
_CELL = re.compile(r"<td[^>]*>.*?</td>", re.DOTALL)
_UNCOLOURED = re.compile(r'<span (?:class="(?:n|p|o)"|title="[^"]*")>((?:<autoref [^>]*>)?[^<]*(?:</autoref>)?)</span>')
"""Parts of a signature that look like the text around them."""
_SPACE = re.compile(r"(<pre\b.*?</pre>)|\n\s+", re.DOTALL)
"""Code, whose space is kept, or the end of a line with the empty lines and the indentation after it."""


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Fill the section of the built-in plugins."""
    plugins = [page for page in pages_elsewhere().values() if page.startswith("plugins/")]
    for section in config.nav or []:
        for pages in section.values() if isinstance(section, dict) else []:
            if "PLUGINS" in pages:
                pages[pages.index("PLUGINS") :] = sorted(plugins)
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that lie outside `docs/`, and those that are made from the program or from notebooks."""
    for source, page in pages_elsewhere().items():
        files.append(File.generated(config, page, abs_src_path=str(ROOT / source)))
    notebooks = {f"notebooks/{path.stem}.md": json.loads(path.read_text(encoding="utf-8")) for path in NOTEBOOKS}
    pages = reference() | {uri: as_markdown(notebook) for uri, notebook in notebooks.items()}
    for uri, text in pages.items():
        files.append(File.generated(config, uri, content=text))
    return files


@event_priority(-200)  # after the plugin offline, which reads the index
def on_post_build(config: MkDocsConfig) -> None:
    """Keep the site small: without published trials and the theme's files for debugging, pictures with a palette."""
    site = Path(config.site_dir)
    for picture in site.rglob("*.png"):
        # Plots have few colours, but some in a few points only, which the usual method would turn grey.
        page = picture.parent == site / "web"
        colours, method = (32, Image.Quantize.MEDIANCUT) if page else (24, Image.Quantize.MAXCOVERAGE)
        Image.open(picture).convert("RGB").quantize(colours, method).save(picture, optimize=True)
    for needless in [*site.rglob("*.map"), *site.rglob("*.xz"), *site.rglob("lunr/*.js"), *site.rglob("lunr/min/*.js")]:
        needless.unlink()
    for folder in [*site.rglob("lunr/min"), *site.rglob("lunr")]:
        folder.rmdir()
    (site / "404.html").unlink(missing_ok=True)  # it is for a server, and looks for its style there


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Remove the indentation, a tenth of a page."""
    return _SPACE.sub(lambda found: found[1] or "\n", output)


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Make a page readable on a phone: a picture opens in full size, and a long name in a table may be broken.

    Pages of the reference lose half of their size: what their signatures do not show, and members in the contents.
    """
    if page.file.src_uri.startswith("reference/"):
        html = _UNCOLOURED.sub(r"\1", _UNCOLOURED.sub(r"\1", html))
        for entry in (inner for outer in page.toc for inner in outer.children):
            entry.children = []
    html = _PICTURE.sub(r'<a href="\1">\g<0></a>', html)
    return _CELL.sub(
        lambda cell: _CODE_IN_TABLE.sub(lambda code: re.sub(r"([/_.:=|,])", r"\1<wbr>", code[0]), cell[0]), html
    )


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Adapt links, citations and dialect."""
    uri = page.file.src_uri
    if uri.startswith(("reference/", "notebooks/")):
        return markdown
    source = {page: source for source, page in pages_elsewhere().items()}.get(uri, DOCS + uri)
    if uri == BIBLIOGRAPHY:
        markdown = with_anchors(markdown)
    bibliography = posixpath.relpath(BIBLIOGRAPHY, posixpath.dirname(uri) or ".")

    def prose(text: str) -> str:
        return outside_code(rewritten(text, source), lambda plain: cited(plain, bibliography))

    return adapted(markdown, prose)
