// A small board beside the pointer: the position after some moves of a line.

import { drawPicture } from "./desk.js";
import { el, fill } from "./dom.js";
import { picture } from "./pictures.js";

/** @typedef {import("./types.js").PositionView} PositionView */

const MOST_KEPT = 200;
const GAP = 10;

export class Preview {
  /** @param {import("./desk.js").Desk} desk */
  constructor(desk) {
    this.desk = desk;
    this.element = el("div", { class: "preview", "aria-hidden": "true", hidden: true });
    document.body.append(this.element);
    /** Positions by the request for them. @type {Map<string, PositionView>} */
    this.views = new Map();
    this.round = 0;
  }

  /**
   * Show the position after these moves, from the one on the board.
   * @param {string[]} moves
   * @param {HTMLElement} near
   * @param {string | null} [start] The position from which they are made, as text.
   */
  async show(moves, near, start = null) {
    const round = ++this.round;
    const where = this.desk.where();
    const request = start === null ? { ...where, moves: [...where.moves, ...moves] } : { game: where.game, start, moves };
    const key = JSON.stringify(request);
    let view = this.views.get(key);
    if (!view) {
      view = await this.desk.connection.ask("show", request).then((answer) => answer.position, () => undefined); // a preview may fail silently
      if (!view) return;
      if (this.views.size >= MOST_KEPT) this.views.clear();
      this.views.set(key, view);
    }
    if (round !== this.round || !near.isConnected) return;
    const board = this.desk.game?.board;
    const drawn = board
      ? el("img", { alt: "", src: `data:image/svg+xml,${encodeURIComponent(picture(board, [view], this.desk.flipped))}` })
      : drawPicture(view);
    fill(this.element, drawn, view.outcome ? el("p", {}, view.outcome.text) : null);
    this.element.hidden = false;
    this.place(near.getBoundingClientRect());
  }

  /** Below an element if there is room, else above it, and within the window. @param {DOMRect} near */
  place(near) {
    const { width, height } = this.element.getBoundingClientRect();
    const below = near.bottom + GAP + height <= innerHeight;
    this.element.style.left = `${Math.max(GAP, Math.min(near.left, innerWidth - width - GAP))}px`;
    this.element.style.top = `${below ? near.bottom + GAP : Math.max(GAP, near.top - GAP - height)}px`;
  }

  hide() {
    this.round += 1;
    this.element.hidden = true;
  }
}
