// The board: it draws positions, animates the way from one to the next, and turns clicks, drags and keys into moves.

import { click, isTaking, targets, whyNot } from "./choosing.js";
import { svg } from "./dom.js";
import { Geometry, UNIT } from "./geometry.js";
import { drawGround, drawPiece, drawStroke } from "./pieces.js";

/** @typedef {import("./types.js").GameView} GameView */
/** @typedef {import("./types.js").PositionView} PositionView */
/** @typedef {import("./types.js").LegalMove} LegalMove */

const STEP = 170;
const ARROWS = new Map([["ArrowLeft", [-1, 0]], ["ArrowRight", [1, 0]], ["ArrowUp", [0, -1]], ["ArrowDown", [0, 1]]]);

export class Board {
  /**
   * @param {GameView} game
   * @param {(moves: LegalMove[]) => void} choose Called with the move, or with several that fit the clicks.
   */
  constructor(game, choose) {
    if (!game.board) throw new Error(`${game.name} has no board`);
    this.game = game;
    this.view = game.board;
    this.choose = choose;
    this.flipped = false;
    /** Whether a person may move. */
    this.active = false;
    /** @type {PositionView | null} */
    this.position = null;
    /** @type {number[]} */
    this.picked = [];
    this.focus = 0;
    /** Takes clicks instead of making moves of them. @type {((cell: number) => void) | null} */
    this.edit = null;
    /** The cells of a move in advance. @type {number[]} */
    this.planned = [];
    /** Takes a click while the person may not move; returns whether it means something. @type {(cell: number) => boolean} */
    this.ahead = () => false;
    /** What each piece is worth to an evaluator, for the first mover. @type {Map<number, string>} */
    this.worths = new Map();
    /** Called with what the person should know: why a piece cannot move, or what to click next. @type {(text: string) => void} */
    this.advise = () => {};
    /** Whether the focused cell was clicked; the arrow keys then belong to the page. */
    this.clicked = false;
    this.geometry = new Geometry(this.view, false);
    this.heat = svg("g", { "aria-hidden": "true" });
    this.strokes = svg("g", { "aria-hidden": "true" });
    this.marks = svg("g", { "aria-hidden": "true" });
    this.stones = svg("g", { "aria-hidden": "true" });
    this.hints = svg("g", { "aria-hidden": "true" });
    this.rates = svg("g", { "aria-hidden": "true" });
    this.overlay = svg("g", { "aria-hidden": "true" });
    /** What a view draws over the board, such as arrows; called whenever the marks change. @type {((board: Board) => SVGElement[]) | null} */
    this.annotate = null;
    /** @type {SVGGElement[]} */
    this.cells = [];
    this.root = svg("svg", { id: "board", class: "board", role: "group", "aria-label": `Board of ${game.name}` });
    this.build();
  }

  flip() {
    this.flipped = !this.flipped;
    this.build();
    if (this.position) this.show(this.position, this.active);
  }

  /** Draw the parts that stay the same. */
  build() {
    this.geometry = new Geometry(this.view, this.flipped);
    const { width, height } = this.geometry;
    this.root.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.cells = this.view.places.map((_, cell) => this.buildCell(cell));
    this.root.replaceChildren(drawGround(this.view, this.geometry), this.strokes, this.marks, this.stones, this.heat, this.rates, this.hints, this.overlay, ...this.cells);
  }

  /** The part of a cell that is clicked and focused. @param {number} cell */
  buildCell(cell) {
    const [x, y] = this.geometry.centres[cell];
    const area = svg("rect", { x: x - UNIT / 2 + 2, y: y - UNIT / 2 + 2, width: UNIT - 4, height: UNIT - 4, rx: 6 });
    return svg("g", {
      class: "cell", role: "button", "data-cell": this.view.names[cell], tabindex: cell === this.focus ? 0 : -1,
      pointerdown: (/** @type {PointerEvent} */ event) => this.press(event, cell),
      keydown: (/** @type {KeyboardEvent} */ event) => this.key(event, cell),
      focus: () => this.attend(cell),
    }, area);
  }

  /**
   * Draw a position; if the last move led from the position shown to this one, animate it.
   * @param {PositionView} position
   * @param {boolean} active
   * @param {boolean} animated
   */
  show(position, active, animated = false) {
    const before = this.position;
    this.position = position;
    this.active = active && !position.outcome;
    this.picked = [];
    this.hints.replaceChildren();
    this.heat.replaceChildren();
    this.rates.replaceChildren();
    this.worths.clear();
    const drawn = new Map();
    for (const [cell, side, kind] of position.pieces) drawn.set(cell, this.place(cell, side, kind));
    this.stones.replaceChildren(...drawn.values());
    this.strokes.replaceChildren(...position.strokes.map((stroke) => drawStroke(this.view, this.geometry, stroke)));
    if (before && animated && position.last) this.animate(before, position, position.last.path, drawn);
    this.mark();
  }

  /** @param {number} cell @param {number} side @param {string} kind */
  place(cell, side, kind) {
    const [x, y] = this.geometry.centres[cell];
    return svg("g", { transform: `translate(${x} ${y})` }, drawPiece(this.view, side, kind));
  }

  /**
   * @param {PositionView} before
   * @param {PositionView} after
   * @param {number[]} path
   * @param {Map<number, SVGGElement>} drawn
   */
  animate(before, after, path, drawn) {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const [old, now] = [before, after].map(({ pieces }) => new Map(pieces.map(([cell, side, kind]) => [cell, { side, kind }])));
    const mover = old.get(path[0]);
    const end = mover && path.findLast((cell) => now.get(cell)?.side === mover.side);
    const route = end === undefined || end === path[0] ? [] : path.slice(0, path.lastIndexOf(end) + 1);
    const duration = STEP * Math.max(1, route.length - 1);
    if (route.length && end !== undefined) this.slide(drawn.get(end), route, duration);
    for (const [cell, { side, kind }] of old) {
      if (now.has(cell) || cell === route[0]) continue;
      const ghost = this.place(cell, side, kind);
      this.stones.prepend(ghost);
      const fading = ghost.animate([{ opacity: 1 }, { opacity: 0 }], { duration: duration + STEP, easing: "ease-in", fill: "forwards" });
      fading.onfinish = () => ghost.remove();
    }
    for (const [cell, { side }] of now) {
      const stone = drawn.get(cell)?.firstElementChild;
      if (!stone || cell === end) continue;
      const was = old.get(cell);
      if (!was) stone.animate([{ transform: "scale(0.4)", opacity: 0 }, { transform: "scale(1)", opacity: 1 }], { duration: STEP, easing: "ease-out" });
      else if (was.side !== side) stone.animate([{ transform: "scaleX(0)" }, { transform: "scaleX(1)" }], { duration: 1.5 * STEP });
    }
  }

  /** @param {SVGGElement | undefined} stone @param {number[]} route @param {number} duration */
  slide(stone, route, duration) {
    if (!stone) return;
    const [x, y] = this.geometry.centres[route[route.length - 1]];
    const frames = route.map((cell) => {
      const [a, b] = this.geometry.centres[cell];
      return { transform: `translate(${a - x}px, ${b - y}px)` };
    });
    this.stones.append(stone);
    stone.firstElementChild?.animate(frames, { duration, easing: route.length > 2 ? "linear" : "ease-in-out" });
  }

  /** Show as a heat map what each piece is worth, for the first mover. @param {[cell: number, worth: number][]} worths @param {number} decimals */
  warm(worths, decimals = 0) {
    const most = Math.max(1e-9, ...worths.map(([, worth]) => Math.abs(worth)));
    this.worths = new Map(worths.map(([cell, worth]) => [cell, worthText(worth, decimals)]));
    this.heat.replaceChildren(...worths.flatMap(([cell, worth]) => {
      const [cx, cy] = this.geometry.centres[cell];
      const opacity = (0.1 + (0.65 * Math.abs(worth)) / most).toFixed(2);
      return [
        svg("circle", { class: `warm ${worth < 0 ? "second" : "first"}`, cx, cy, r: 0.4 * UNIT, opacity }),
        svg("text", { class: "worth", x: cx, y: cy + 10, "text-anchor": "middle" }, worthText(worth, decimals)),
      ];
    }));
    this.mark();
  }

  /** Write on the cells of moves what they are worth; the best come first. @param {[cell: number, text: string][]} rates */
  rate(rates) {
    this.rates.replaceChildren(...rates.map(([cell, text]) => {
      const [x, y] = this.geometry.centres[cell];
      return svg("text", { class: `rate ${text === rates[0][1] ? "best" : ""}`, x, y: y + 11, "text-anchor": "middle" }, text);
    }));
  }

  /** Mark the last move, the picked cells, and the cells that can be clicked. */
  mark() {
    const position = this.position;
    if (!position) return;
    const next = this.active ? targets(position.legal, this.picked) : new Set();
    const marks = [];
    for (const cell of new Set(position.last?.path ?? [])) marks.push(this.markCell(cell, "last"));
    for (const cell of this.picked) marks.push(this.markCell(cell, "picked"));
    for (const cell of this.planned) marks.push(this.markCell(cell, "planned"));
    const occupied = new Map(position.pieces.map(([cell, side, kind]) => [cell, { side, kind }]));
    for (const cell of next) marks.push(this.markCell(cell, occupied.has(cell) ? "ready" : "target"));
    if (this.active && isTaking(position.legal, this.picked)) marks.push(this.landed(position));
    this.marks.replaceChildren(...marks);
    this.cells.forEach((element, cell) => {
      element.setAttribute("aria-label", this.describe(cell, occupied.get(cell), next));
      element.classList.toggle("playable", next.has(cell));
    });
    this.drawOverlay();
  }

  /** Mark the cells of a move in advance. @param {number[]} cells */
  plan(cells) {
    this.planned = cells;
    this.mark();
  }

  drawOverlay() {
    this.overlay.replaceChildren(...(this.annotate?.(this) ?? []));
  }

  /** The piece that has been placed or moved, but still takes another one. @param {PositionView} position */
  landed({ pieces, turn }) {
    const from = this.picked.length > 1 ? this.stoneOn(this.picked[0]) : undefined;
    from?.setAttribute("opacity", "0.3");
    const kind = pieces.find(([cell, side]) => side === turn && (!from || cell === this.picked[0]))?.[2] ?? "";
    return this.place(this.picked[this.picked.length - 1], turn, kind);
  }

  /** @param {number} cell @param {string} kind */
  markCell(cell, kind) {
    const [cx, cy] = this.geometry.centres[cell];
    if (kind === "target") return svg("circle", { class: `mark ${kind} ${this.view.shape}`, cx, cy, r: 0.13 * UNIT });
    const round = this.view.shape !== "square";
    const inset = kind === "ready" ? 2 : 0;
    return round
      ? svg("circle", { class: `mark ${kind}`, cx, cy, r: 0.46 * UNIT })
      : svg("rect", { class: `mark ${kind}`, x: cx - UNIT / 2 + inset, y: cy - UNIT / 2 + inset, width: UNIT - 2 * inset, height: UNIT - 2 * inset });
  }

  /**
   * What a screen reader says of a cell.
   * @param {number} cell
   * @param {{side: number, kind: string} | undefined} piece
   * @param {Set<number>} next
   */
  describe(cell, piece, next) {
    const parts = [this.view.names[cell]];
    if (piece) parts.push([this.game.sides[piece.side], piece.kind].filter(Boolean).join(" "));
    else parts.push("empty");
    if (this.picked.includes(cell)) parts.push("selected");
    if (this.planned.includes(cell)) parts.push("planned");
    const worth = this.worths.get(cell);
    if (worth !== undefined) parts.push(`worth ${worth}`);
    if (next.has(cell)) parts.push(piece && !this.picked.length ? "can move" : "possible");
    return parts.join(", ");
  }

  /** Show a move as an arrow, or as a ring if it has one cell. @param {LegalMove} move */
  hint(move) {
    const points = move.path.map((cell) => this.geometry.centres[cell]);
    this.hints.replaceChildren(
      points.length === 1
        ? svg("circle", { class: "hint", cx: points[0][0], cy: points[0][1], r: 0.44 * UNIT })
        : svg("polyline", { class: "hint", points: points.map((point) => point.join(",")).join(" ") }),
      ...(points.length > 1 ? [svg("circle", { class: "hint end", cx: points[points.length - 1][0], cy: points[points.length - 1][1], r: 0.14 * UNIT })] : []),
    );
  }

  /** @param {number} cell */
  click(cell) {
    if (this.edit) this.edit(cell);
    if (!this.position) return;
    if (!this.active) {
      if (!this.edit && this.ahead(cell)) return;
      this.advise(this.edit ? "" : whyNot(this.position, this.game.sides, cell, false));
      return;
    }
    const before = this.picked;
    const { picked, moves } = click(this.position.legal, this.view.groups, before, cell);
    this.picked = picked;
    for (const stone of this.stones.children) stone.removeAttribute("opacity");
    if (isTaking(this.position.legal, picked)) this.advise(`Choose the piece of ${this.game.sides[1 - this.position.turn]} to take.`);
    else this.advise(picked.length || moves.length || before.includes(cell) ? "" : whyNot(this.position, this.game.sides, cell, true));
    this.active = !moves.length; // until the next position is shown, no second move can be made in this one
    this.mark();
    if (moves.length) this.choose(moves);
  }

  /** Begin a click or a drag. @param {PointerEvent} event @param {number} cell */
  press(event, cell) {
    if (event.button !== 0) return;
    this.clicked = true;
    this.click(cell);
    const piece = this.picked.includes(cell) ? this.stoneOn(cell) : undefined;
    const started = [event.clientX, event.clientY];
    const scale = this.geometry.width / this.root.getBoundingClientRect().width;
    let dragged = false;
    const move = (/** @type {PointerEvent} */ now) => {
      const [dx, dy] = [now.clientX - started[0], now.clientY - started[1]];
      if (!dragged && Math.hypot(dx, dy) < 6) return;
      dragged = true;
      piece?.firstElementChild?.setAttribute("transform", `translate(${dx * scale} ${dy * scale})`);
    };
    const end = (/** @type {PointerEvent} */ now) => {
      window.removeEventListener("pointermove", move);
      window.removeEventListener("pointerup", end);
      window.removeEventListener("pointercancel", end);
      piece?.firstElementChild?.removeAttribute("transform");
      if (!dragged) return;
      const under = document.elementFromPoint(now.clientX, now.clientY)?.closest("[data-cell]")?.getAttribute("data-cell");
      const target = this.view.names.indexOf(under ?? "");
      if (now.type === "pointerup" && target >= 0 && target !== cell) this.click(target);
    };
    if (!piece) return;
    event.preventDefault();
    this.stones.append(piece);
    window.addEventListener("pointermove", move);
    window.addEventListener("pointerup", end);
    window.addEventListener("pointercancel", end);
  }

  /** @param {number} cell */
  stoneOn(cell) {
    const [x, y] = this.geometry.centres[cell];
    return [...this.stones.children].find((stone) => stone.getAttribute("transform") === `translate(${x} ${y})`);
  }

  /** @param {KeyboardEvent} event @param {number} cell */
  key(event, cell) {
    const arrow = ARROWS.get(event.key);
    if (event.key === "Tab") this.clicked = false;
    if (arrow && this.clicked) return;
    if (arrow) this.cells[this.geometry.neighbour(cell, arrow[0], arrow[1])].focus();
    else if (event.key === "Enter" || event.key === " ") this.click(cell);
    else if (event.key === "Escape") {
      this.picked = [];
      if (this.planned.length) this.ahead(this.planned[0]); // gives the plan up
      this.mark();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Let the Tab key return to the cell that was focused last. @param {number} cell */
  attend(cell) {
    this.cells[this.focus].setAttribute("tabindex", "-1");
    this.focus = cell;
    this.cells[cell].setAttribute("tabindex", "0");
  }
}

/** A share of a score, with its sign. @param {number} worth @param {number} decimals */
export function worthText(worth, decimals) {
  const size = Math.abs(worth).toFixed(decimals);
  return Number(size) === 0 ? "0" : `${worth < 0 ? "−" : "+"}${size}`;
}
