// The moves of a game as a list: two to a row, variations below the move that they replace.

import { button, el, fill } from "./dom.js";

/** @typedef {import("./tree.js").Node} Node */
/** @typedef {import("./tree.js").Tree} Tree */

export class MoveList {
  /** @param {(node: Node) => void} jump Called with the move that was clicked. */
  constructor(jump) {
    this.jump = jump;
    this.element = el("div", { class: "moves", role: "group", "aria-label": "Moves" });
  }

  /** @param {Tree} tree */
  show(tree) {
    const parts = [];
    let node = tree.root;
    let ply = 0;
    if (node.comment) parts.push(comment(node));
    while (node.children.length) {
      const [main, ...others] = node.children;
      if (ply % 2 === 0) parts.push(el("span", { class: "number" }, `${ply / 2 + 1}.`));
      else if (parts.at(-1)?.classList.contains("aside")) parts.push(el("span", { class: "number" }, `${(ply + 1) / 2}…`));
      parts.push(this.move(main, tree));
      if (main.comment) parts.push(comment(main));
      for (const other of others) parts.push(el("div", { class: "aside" }, ...this.variation(other, tree, ply)));
      node = main;
      ply += 1;
    }
    fill(this.element, ...parts);
    const current = this.element.querySelector("[aria-current]");
    if (current instanceof HTMLElement) this.element.scrollTop = current.offsetTop - this.element.clientHeight / 2;
  }

  /** @param {Node} node @param {Tree} tree */
  move(node, tree) {
    const here = node === tree.current;
    const mark = node.mark ? el("span", { class: "glyph" }, node.mark) : null;
    const element = button(node.move, () => this.jump(node), { class: "move", "aria-current": here ? "true" : null });
    if (mark) element.append(mark);
    return element;
  }

  /** @param {Node} first @param {Tree} tree @param {number} ply @returns {(HTMLElement)[]} */
  variation(first, tree, ply) {
    const parts = [];
    for (let node = /** @type {Node | undefined} */ (first), at = ply; node; node = node.children[0], at += 1) {
      if (at % 2 === 0 || node === first) parts.push(el("span", { class: "number" }, `${Math.floor(at / 2) + 1}${at % 2 ? "…" : "."}`));
      parts.push(this.move(node, tree));
      if (node.comment) parts.push(comment(node));
      const others = node === first ? [] : (node.parent?.children.slice(1) ?? []);
      for (const other of others) parts.push(el("div", { class: "aside" }, ...this.variation(other, tree, at)));
    }
    return parts;
  }
}

/** @param {Node} node */
function comment(node) {
  return el("span", { class: "comment" }, node.comment);
}
