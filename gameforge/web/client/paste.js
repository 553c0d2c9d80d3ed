// Pasting: a dialog for a position, moves, or the content of a file, in any format that the game reads.

import { button, el } from "./dom.js";

/** @param {import("./filing.js").Filing} filing */
export function askPaste(filing) {
  const { desk, app } = filing;
  const text = el("textarea", { rows: 8, spellcheck: "false", "aria-label": "Position, moves or file", placeholder: "A position, moves, or the content of a file of games" });
  const dialog = el("dialog", { "aria-label": "Paste" }, el("h2", {}, "Paste"), text);
  const open = async () => {
    const found = await desk.try(() => app.connection.ask("paste", { game: desk.game?.name, text: text.value }));
    if (!found) return;
    dialog.close();
    filing.choose(found.games, found.notices);
  };
  dialog.append(el("div", { class: "buttons" }, button("Cancel", () => dialog.close()), button("Open", open, { class: "primary" })));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
