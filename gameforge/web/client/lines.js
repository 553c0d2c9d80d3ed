// The moves that an analysis has found: the best with their lines, the others as a row of small buttons. The elements
// stay when the analysis goes deeper, so that the focus and the pointer stay on them.

import { el } from "./dom.js";

/** @typedef {import("./types.js").AnalysedMove} AnalysedMove */

const LINES = 3;
const SHOWN_PLIES = 12;

export class Lines {
  /** @param {(move: string) => void} play @param {(move: string) => void} hint Shows a move on the board. */
  constructor(play, hint) {
    this.play = play;
    this.hint = hint;
    /** @type {AnalysedMove[]} */
    this.moves = [];
    this.others = el("div", { class: "others" });
    this.element = el("div", { class: "lines" }, this.others);
    /** @type {HTMLButtonElement[]} */
    this.buttons = [];
  }

  /** @param {AnalysedMove[]} moves Best first. */
  show(moves) {
    this.moves = moves;
    while (this.buttons.length > moves.length) this.buttons.pop()?.remove();
    while (this.buttons.length < moves.length) this.buttons.push(this.build(this.buttons.length));
    moves.forEach((move, i) => write(this.buttons[i], move.known ?? move.text, Boolean(move.known), i < LINES ? line(move) : move.move));
  }

  /** @param {number} i */
  build(i) {
    const act = (/** @type {(move: string) => void} */ what) => () => what(this.moves[i].move);
    const properties = { type: "button", click: act(this.play), pointerenter: act(this.hint), focus: act(this.hint) };
    const parts = [el("span", { class: "value" }), el("span", { class: "moves-of-line" })];
    const button = el("button", { class: i < LINES ? "line" : "other", ...properties }, ...(i < LINES ? parts : parts.reverse()));
    if (i < LINES) this.element.insertBefore(button, this.others);
    else this.others.append(button);
    return button;
  }
}

/** @param {AnalysedMove} move */
function line(move) {
  return move.line.slice(0, SHOWN_PLIES).join("  ");
}

/** @param {HTMLButtonElement} button @param {string} value @param {boolean} known @param {string} text */
function write(button, value, known, text) {
  const [first, second] = [button.querySelector(".value"), button.querySelector(".moves-of-line")];
  if (!first || !second) return;
  if (first.textContent !== value) first.textContent = value;
  if (second.textContent !== text) second.textContent = text;
  first.classList.toggle("known", known);
}
