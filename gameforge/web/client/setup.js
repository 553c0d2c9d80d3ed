// Setting up a position by hand: a board on which clicks place and remove pieces.

import { Board } from "./board.js";
import { button, el, svg } from "./dom.js";
import { UNIT } from "./geometry.js";
import { drawPiece } from "./pieces.js";

/** @typedef {import("./types.js").Piece} Piece */
/** @typedef {[side: number, kind: string]} Tool */

/**
 * Let the person rearrange the pieces of the position on the board.
 * @param {import("./main.js").App} app
 * @param {(position: string) => Promise<boolean>} done Called with the position as text; returns whether it was shown.
 */
export function setUp(app, done) {
  const { desk } = app;
  const { game, view } = desk;
  if (!game?.board?.kinds || !view) return;
  const kinds = game.board.kinds;
  /** @type {Map<number, Piece>} */
  let placed = new Map(view.pieces.map((piece) => [piece[0], piece]));
  let turn = view.turn;
  /** What a click places; null: nothing. @type {Tool | null} */
  let tool = [0, kinds[0]];

  const editor = new Board(game, () => {});
  editor.root.removeAttribute("id");
  if (desk.flipped) editor.flip();
  const draw = () => editor.show({ ...view, pieces: [...placed.values()], legal: [], last: null, outcome: null }, false);
  editor.edit = (cell) => {
    const [, side, kind] = placed.get(cell) ?? [];
    if (!tool || (side === tool[0] && kind === tool[1])) placed.delete(cell);
    else placed.set(cell, [cell, ...tool]);
    draw();
  };

  const side = el("select", { id: "set-up-turn", change: () => (turn = Number(side.value)) }, ...game.sides.map((name, i) => el("option", { value: i }, name)));
  side.value = String(turn);
  const dialog = el("dialog", { class: "set-up", "aria-label": "Set up a position" });
  const finish = async () => {
    const request = { ...desk.where(), pieces: [...placed.values()], turn };
    const answer = await desk.try(() => app.connection.ask("arrange", request));
    if (answer && (await done(answer.text))) dialog.close();
  };
  dialog.append(
    el("h2", {}, "Set up a position"),
    palette(game, kinds, (what) => (tool = what)),
    editor.root,
    el("div", { class: "field" }, el("label", { for: side.id }, "To move"), side),
    el("div", { class: "buttons" },
      button("Clear", () => { placed = new Map(); draw(); }),
      button("Cancel", () => dialog.close()),
      button("Done", finish, { class: "primary" })));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  draw();
  dialog.showModal();
}

/** The choice of what a click places. @param {import("./types.js").GameView} game @param {string[]} kinds @param {(tool: Tool | null) => void} choose */
function palette(game, kinds, choose) {
  const board = game.board;
  /** @type {[string, Tool | null][]} */
  const tools = [["Remove", null]];
  for (const kind of [...kinds].reverse()) for (const side of [1, 0]) tools.unshift([[game.sides[side], kind].filter(Boolean).join(" "), [side, kind]]);
  const cross = () => svg("path", { d: "M-22 -22L22 22M22 -22L-22 22", stroke: "currentColor", "stroke-width": 9, "stroke-linecap": "round" });
  return el("div", { class: "palette", role: "radiogroup", "aria-label": "What a click places" }, ...tools.map(([name, what], i) =>
    el("label", { class: "piece-choice", title: name },
      el("input", { type: "radio", name: "piece", class: "visually-hidden", checked: i === 0, "aria-label": name, change: () => choose(what) }),
      svg("svg", { viewBox: `${-UNIT / 2} ${-UNIT / 2} ${UNIT} ${UNIT}`, width: 38, height: 38, "aria-hidden": "true" }, what && board ? drawPiece(board, ...what) : cross()))));
}
