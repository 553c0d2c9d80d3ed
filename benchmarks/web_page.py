"""Measure the page of the browser board in Chromium: its start, clicks, and frames during an analysis.

    python benchmarks/web_page.py [--seconds 10]

The kernels of the game are compiled before the measurement; the server and the browser are new.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

from playwright.sync_api import Page, sync_playwright

GAME, PLAYER = "draughts", "alphabeta:depth=2 + material"
MOVES = (("11", "15"), ("8", "11"), ("4", "8"), ("12", "16"), ("10", "14"))

CLICK = """([from, to]) => new Promise(resolve => {
    const press = name => document.querySelector(`[data-cell='${name}']`).dispatchEvent(
        new PointerEvent("pointerdown", { button: 0, bubbles: true }));
    const target = document.querySelector(`[data-cell='${to}']`);
    press(from);
    const began = performance.now();
    new MutationObserver((_, watch) => {
        if (target.getAttribute("aria-label").includes("empty")) return;
        watch.disconnect();
        requestAnimationFrame(() => resolve(performance.now() - began));
    }).observe(target, { attributes: true });
    press(to);
})"""
"""Milliseconds from a click on the last cell of a move to the first frame with the piece there."""

WATCH = """seconds => new Promise(resolve => {
    let updates = 0, longest = 0, last = performance.now();
    const end = last + 1000 * seconds;
    const watch = new MutationObserver(() => updates++);
    watch.observe(document.querySelector(".head .count"), { childList: true, characterData: true, subtree: true });
    const frame = now => {
        longest = Math.max(longest, now - last);
        last = now;
        if (now < end) requestAnimationFrame(frame);
        else resolve([updates / seconds, longest]);
    };
    requestAnimationFrame(frame);
})"""
"""Updates of the analysis a second, and the longest time between two frames in milliseconds."""


def report(what: str, value: str) -> None:
    print(f"{what:<60}{value:>16}", flush=True)


def start() -> tuple[subprocess.Popen[str], str]:
    """Start a server; return it and its address."""
    command = [
        sys.executable,
        "-m",
        "gameforge",
        "web",
        "--no-open",
        "--port=0",
        f"--game={GAME}",
        f"--player={PLAYER}",
    ]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert server.stderr is not None
    found = re.search(r"http://\S+", server.stderr.readline())
    assert found is not None, "the server did not start"
    return server, found[0]


def measure(page: Page, url: str, seconds: float, quiet: bool) -> None:
    say = (lambda what, value: None) if quiet else report
    began = time.perf_counter()
    page.goto(url)
    page.wait_for_selector(".playable")
    say("first page, until the board can be clicked", f"{time.perf_counter() - began:.2f} s")
    times = []
    for move in MOVES:
        page.wait_for_selector(".message:has-text('Your turn')")
        if page.locator(f"[data-cell='{move[0]}'].playable").count() == 0:
            break
        times.append(page.evaluate(CLICK, list(move)))
        page.wait_for_timeout(200)
    say(f"from the click to the own move, longest of {len(times)}", f"{max(times):.0f} ms")
    page.get_by_role("navigation").get_by_role("button", name="Analyse").click()
    page.get_by_label("Player that analyses").fill("alphabeta + material")
    page.get_by_label("Player that analyses").press("Enter")
    page.wait_for_selector(".head .count:not(:empty)")
    page.wait_for_timeout(2000)
    updates, longest = page.evaluate(WATCH, seconds)
    say("analysis, updates a second", f"{updates:.1f}")
    say("  longest frame", f"{longest:.0f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the page of the browser board.")
    parser.add_argument("--seconds", type=float, default=10.0, help="length of the analysis")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as state, sync_playwright() as playwright:
        os.environ["XDG_STATE_HOME"] = state
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        for quiet in (True, False):  # the first round compiles the kernels
            server, url = start()
            try:
                measure(browser.new_page(), url, 1 if quiet else options.seconds, quiet)
            finally:
                server.terminate()
                server.wait(30)
        browser.close()


if __name__ == "__main__":
    main()
