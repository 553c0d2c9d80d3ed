// The moves of a game as a list: two to a row, variations below the move that they replace.

import { clockOf, wordsOf } from "./clock.js";
import { button, el, fill } from "./dom.js";

/** @typedef {import("./tree.js").Node} Node */
/** @typedef {import("./tree.js").Tree} Tree */

export class MoveList {
  /** @param {(node: Node) => void} jump Called with the move that was clicked. */
  constructor(jump) {
    this.jump = jump;
    this.element = el("div", { class: "moves", role: "group", "aria-label": "Moves" });
  }

  /** @param {Tree} tree @param {string} [result] How the game ended, if it is over. */
  show(tree, result = "") {
    /** @type {(HTMLElement | null)[]} */
    const parts = [];
    let node = tree.root;
    let ply = 0;
    parts.push(comment(node.comment));
    while (node.children.length) {
      const [main, ...others] = node.children;
      if (ply % 2 === 0) parts.push(el("span", { class: "number" }, `${ply / 2 + 1}.`));
      else if (parts.findLast(Boolean)?.matches(".aside, .comment")) parts.push(el("span", { class: "number" }, `${(ply + 1) / 2}…`));
      const element = this.move(main, tree);
      element.classList.add(ply % 2 ? "second" : "first");
      parts.push(element, comment(main.comment));
      for (const other of others) parts.push(el("div", { class: "aside" }, ...this.variation(other, tree, ply)));
      node = main;
      ply += 1;
    }
    if (result) parts.push(el("span", { class: "comment" }, result));
    fill(this.element, ...parts);
    const current = this.element.querySelector("[aria-current]");
    if (current instanceof HTMLElement) this.element.scrollTop = current.offsetTop - this.element.clientHeight / 2;
  }

  /** @param {Node} node @param {Tree} tree */
  move(node, tree) {
    const here = node === tree.current;
    const element = button(node.move, () => this.jump(node), { class: "move", "aria-current": here ? "true" : null });
    const clock = clockOf(node.comment);
    if (node.mark) element.append(el("span", { class: "glyph" }, node.mark));
    if (clock) element.append(" ", el("span", { class: "spent" }, clock));
    return element;
  }

  /** @param {Node} first @param {Tree} tree @param {number} ply @returns {(HTMLElement | null)[]} */
  variation(first, tree, ply) {
    const parts = [comment(first.before)];
    for (let node = /** @type {Node | undefined} */ (first), at = ply; node; node = node.children[0], at += 1) {
      if (at % 2 === 0 || node === first) parts.push(el("span", { class: "number" }, `${Math.floor(at / 2) + 1}${at % 2 ? "…" : "."}`));
      parts.push(this.move(node, tree));
      parts.push(comment(node.comment));
      const others = node === first ? [] : (node.parent?.children.slice(1) ?? []);
      for (const other of others) parts.push(el("div", { class: "aside" }, ...this.variation(other, tree, at)));
    }
    return [...parts, comment(first.after)];
  }
}

/** What a comment says; null: nothing. @param {string} text */
function comment(text) {
  const words = wordsOf(text);
  return words ? el("span", { class: "comment" }, words) : null;
}
