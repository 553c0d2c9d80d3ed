// The board with the two players, and the game on it: the part that playing and analysing share.

import { Board } from "./board.js";
import { Lost, Refused } from "./connection.js";
import { button, byId, el, fill } from "./dom.js";
import { sound } from "./sound.js";
import { Tree } from "./tree.js";

/** @typedef {import("./types.js").GameView} GameView */
/** @typedef {import("./types.js").PositionView} PositionView */
/** @typedef {import("./types.js").LegalMove} LegalMove */
/** @typedef {import("./tree.js").Node} Node */
/** @typedef {{name: string, clock: string, thinking: boolean}} Strip */

/** Pixels of the wheel for a step. */
const NOTCH = 50;

export class Desk {
  /** @param {import("./connection.js").Connection} connection */
  constructor(connection) {
    this.connection = connection;
    /** @type {GameView | null} */
    this.game = null;
    this.tree = new Tree();
    /** @type {Board | null} */
    this.board = null;
    this.flipped = false;
    /** How far the wheel has turned since the last step, in pixels. */
    this.rolled = 0;
    /** Called with each position that is shown. @type {(view: PositionView) => void} */
    this.shown = () => {};
    /** Whether the person may move the side to move. @type {(view: PositionView) => boolean} */
    this.mayMove = () => true;
    /** Called with a move that the person made, before it is shown. @type {(move: string) => void} */
    this.moved = () => {};
    /** Takes a click on a cell while the person may not move; returns whether it means something. @type {(cell: number) => boolean} */
    this.ahead = () => false;
    /** Called when a game has been opened. */
    this.opened = () => {};
    this.picture = el("div", { class: "picture", wheel: (/** @type {WheelEvent} */ event) => this.wheel(event) });
    this.choices = el("div", { class: "choices" });
    this.advice = el("p", { class: "advice", role: "status" });
    this.strips = [el("div", { class: "strip" }), el("div", { class: "strip" })];
    /** @type {[Strip, Strip]} */
    this.players = [{ name: "", clock: "", thinking: false }, { name: "", clock: "", thinking: false }];
    this.panel = el("section", { class: "panel", "aria-label": "Game" });
    this.entry = el("input", {
      id: "move", type: "text", autocomplete: "off", spellcheck: "false", placeholder: "Type a move", "aria-label": "Type a move",
    });
    const form = el("form", { class: "entry", submit: (/** @type {Event} */ event) => this.enter(event) }, this.entry);
    this.stage = el("section", { class: "stage", "aria-label": "Board" }, this.strips[0], this.picture, this.strips[1], this.advice, this.choices, form);
    this.element = el("div", { class: "desk" }, this.stage, this.panel);
  }

  /** The current position; null while the server still works it out. @returns {PositionView | null} */
  get view() {
    return this.tree.current.view;
  }

  /** The fields of a request about the position on the board. @param {Node} [node] */
  where(node = this.tree.current) {
    if (!this.game) throw new Error("no game is open");
    return fields(this.game.name, this.tree, node);
  }

  /** Fetch the initial position of a tree that is to be opened; return whether the server accepts it. @param {string} game @param {Tree} tree */
  async accepts(game, tree) {
    const answer = await this.try(() => this.connection.ask("show", fields(game, tree, tree.root)));
    if (answer) tree.root.view = answer.position;
    return Boolean(answer);
  }

  /** Open a game. @param {GameView} game @param {Tree} tree */
  async open(game, tree) {
    this.game = game;
    this.tree = tree;
    this.board = game.board && new Board(game, (moves) => this.choose(moves));
    if (this.board) this.board.advise = (text) => this.advise(text);
    if (this.board) this.board.ahead = (cell) => this.ahead(cell);
    if (this.board && this.flipped) this.board.flip();
    this.element.style.setProperty("--ratio", String(this.board ? this.board.geometry.width / this.board.geometry.height : 1));
    this.opened();
    await this.go(tree.current, false);
  }

  /** Show the position of a node; stay where we are if the server refuses it. @param {Node} node @param {boolean} [animated] */
  async go(node, animated = false) {
    this.tree.current = node;
    if (!node.view) {
      try {
        node.view = /** @type {PositionView} */ ((await this.connection.ask("show", this.where(node))).position);
      } catch (error) {
        if (error instanceof Lost) return; // `resume` asks again
        if (!(error instanceof Refused)) throw error;
        complain(error.message);
        this.tree.remove(node);
        this.draw(false);
        return;
      }
    }
    if (this.tree.current === node) this.draw(animated);
  }

  /** Draw the current position, if the server has sent it; otherwise `go` draws it as soon as it is there. @param {boolean} animated */
  draw(animated) {
    const view = this.view;
    if (!view) return;
    const active = this.mayMove(view);
    if (animated) sound(this.tree.current.parent?.view ?? null, view);
    this.advise("");
    if (this.board) {
      if (this.picture.firstChild !== this.board.root) fill(this.picture, this.board.root);
      this.board.show(view, active, animated);
    } else fill(this.picture, drawPicture(view));
    this.drawChoices(view, active);
    this.drawStrips();
    this.shown(view);
  }

  /** Moves that cannot be clicked on the board are buttons: a pass, or every move of a game without a board. @param {PositionView} view @param {boolean} active */
  drawChoices(view, active) {
    const moves = active && !view.outcome ? view.legal.filter(({ path }) => !path.length) : [];
    fill(this.choices, ...moves.map((move) => button(move.text, () => this.play(move.text), { class: "choice" })));
  }

  /** Say below the board why a piece cannot move, or what to click next. @param {string} text */
  advise(text) {
    this.advice.textContent = text;
  }

  /** Go to the next position, or to the one before. @param {number} direction */
  step(direction) {
    const node = direction < 0 ? this.tree.current.parent : this.tree.current.children[0];
    if (node) this.go(node, direction > 0);
  }

  /** Go to the first position, or to the last one of the line. @param {number} direction */
  jump(direction) {
    this.go(direction < 0 ? this.tree.root : (this.tree.line().at(-1) ?? this.tree.root));
  }

  /** Step through the game, a position for each notch of the wheel. @param {WheelEvent} event */
  wheel(event) {
    if (event.ctrlKey || !event.deltaY) return;
    event.preventDefault();
    this.rolled += event.deltaY;
    if (Math.abs(this.rolled) < NOTCH && event.deltaMode === 0) return;
    this.step(Math.sign(this.rolled));
    this.rolled = 0;
  }

  drawStrips() {
    const upper = this.flipped === this.firstIsBelow ? 0 : 1;
    [upper, 1 - upper].forEach((side, place) => this.drawStrip(this.strips[place], side));
  }

  /** Whether the first mover sits at the lower edge of a board that is not flipped: its pieces stand there. */
  get firstIsBelow() {
    const start = this.tree.root.view;
    const board = this.game?.board;
    if (!start || !board) return true;
    const mean = [0, 1].map((side) => {
      const rows = start.pieces.filter((piece) => piece[1] === side).map(([cell]) => board.places[cell][0] * (board.upwards ? -1 : 1));
      return rows.length ? rows.reduce((a, b) => a + b) / rows.length : 0;
    });
    return mean[0] >= mean[1];
  }

  /** Let the person of this side sit below. @param {number} side */
  seat(side) {
    if (this.flipped !== ((side === 0) !== this.firstIsBelow)) this.flip();
  }

  flip() {
    this.flipped = !this.flipped;
    this.board?.flip();
    this.drawStrips();
  }

  /** @param {HTMLElement} strip @param {number} side */
  drawStrip(strip, side) {
    const game = this.game;
    if (!game) return;
    const { name, clock, thinking } = this.players[side];
    const view = this.view;
    const dot = el("span", { class: "dot", "aria-hidden": "true" });
    if (game.board) dot.style.background = game.board.colours[side];
    const turn = view && !view.outcome && view.turn === side;
    strip.classList.toggle("turn", Boolean(turn));
    fill(strip, dot,
      el("span", { class: "name" }, name || game.sides[side]),
      name ? el("span", { class: "side" }, game.sides[side]) : null,
      el("span", { class: "note" }, view?.notes[side] ?? ""),
      thinking ? el("span", { class: "thinking" }, "thinking") : null,
      clock ? el("span", { class: "clock" }, clock) : null);
  }

  /** Play the move that was clicked, or ask which of several was meant. @param {LegalMove[]} moves */
  choose(moves) {
    if (moves.length === 1) {
      this.play(moves[0].text);
      return;
    }
    const dialog = el("dialog", { class: "small routes", "aria-label": "Which move?" });
    const options = moves.map((move) =>
      button(move.text, () => { dialog.close(move.text); this.play(move.text); }, { class: "choice", pointerenter: () => this.board?.hint(move), focus: () => this.board?.hint(move) }));
    dialog.append(el("h2", {}, "Which move?"), ...options, button("Cancel", () => dialog.close()));
    dialog.addEventListener("close", () => {
      dialog.remove();
      if (!dialog.returnValue) this.draw(false);
    });
    document.body.append(dialog);
    dialog.showModal();
  }

  /** Mark a move of the current position on the board. @param {string} move */
  hint(move) {
    const legal = this.view?.legal.find(({ text }) => text === move);
    if (legal?.path.length) this.board?.hint(legal);
  }

  /** Play a move of the person. While a position is on its way, the moves on the page belong to the one before: ignore them. @param {string} move */
  async play(move) {
    if (!this.view) return;
    this.moved(move);
    fill(this.choices);
    await this.go(this.tree.play(move), true);
  }

  /** Play the move that was typed. @param {Event} event */
  enter(event) {
    event.preventDefault();
    const text = this.entry.value.trim();
    const view = this.view;
    if (!text || !view) return;
    const plain = (/** @type {string} */ move) => move.toLowerCase().replace(/[\s:x-]+/g, " ");
    const move = view.legal.find((each) => each.text === text) ?? view.legal.find((each) => plain(each.text) === plain(text));
    if (!this.mayMove(view)) say("It is not your turn.");
    else if (!move) complain(`${text} is not a legal move; legal: ${view.legal.map((each) => each.text).join(", ") || "none"}`);
    else {
      this.entry.value = "";
      this.play(move.text);
    }
  }

  /**
   * Do what may fail for a reason that the user should read; return undefined then.
   * @template T
   * @param {() => Promise<T>} work
   * @returns {Promise<T | undefined>}
   */
  async try(work) {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Refused) complain(error.message);
      else if (!(error instanceof Lost || (error instanceof DOMException && error.name === "AbortError"))) throw error;
      return undefined;
    }
  }
}

/** The fields of a request about a position of a tree. @param {string} game @param {Tree} tree @param {Node} node */
function fields(game, tree, node) {
  return { game, ...(tree.start !== null && { start: tree.start }), moves: tree.moves(node) };
}

/** A drawing of a game without a board. SVG goes into an image, where it can run nothing. @param {PositionView} view */
export function drawPicture(view) {
  const picture = view.picture;
  if (picture?.svg) return el("img", { src: `data:image/svg+xml,${encodeURIComponent(picture.svg)}`, alt: view.text });
  return el("pre", { class: "diagram" }, picture?.text ?? view.text);
}

/** Say something to those who use a screen reader. @param {string} text */
export function say(text) {
  byId("status").textContent = text;
}

/** Show an error for a while. @param {string} text */
export function complain(text) {
  const note = el("div", { class: "toast", role: "alert" }, text, button("×", () => note.remove(), { "aria-label": "Dismiss" }));
  const dialog = [...document.querySelectorAll("dialog[open]")].at(-1);
  (dialog ?? document.body).append(note); // what is outside a dialog lies below it
  dialog?.addEventListener("close", () => note.parentElement === dialog && document.body.append(note));
  setTimeout(() => note.remove(), 9000);
}

/** How a game ended as text; "" if it has not. @param {[string, string]} sides @param {import("./tree.js").Ending | null} ending */
export function endingText(sides, ending) {
  if (!ending?.finished) return "";
  return `${ending.winner === null ? "Draw" : `${sides[ending.winner]} wins`}${ending.reason ? `: ${ending.reason}` : ""}`;
}

/** The progress of a preparation as text. @param {{preparing: string, share: number | null}} update */
export function preparing({ preparing: what, share }) {
  return share === null ? what : `${what}: ${Math.round(100 * share)} %`;
}
