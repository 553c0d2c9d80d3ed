// A game as a tree of moves: the first child of a node is the main line, the others are variations.

/**
 * @typedef {object} Node
 * @property {string} move The move that led here; "" at the root.
 * @property {Node | null} parent
 * @property {Node[]} children
 * @property {string} comment
 * @property {string} mark
 * @property {import("./types.js").PositionView | null} view The position, once the server has sent it.
 * @property {{score: number, text: string} | null} score For the first mover.
 */

/** @typedef {{move: string, comment?: string, mark?: string, children?: Stored[]}} Stored */

/** @param {string} move @param {Node | null} parent @returns {Node} */
function node(move, parent) {
  return { move, parent, children: [], comment: "", mark: "", view: null, score: null };
}

export class Tree {
  /** @param {string | null} start The initial position as text; null: that of the game. */
  constructor(start = null) {
    this.start = start;
    this.root = node("", null);
    this.current = this.root;
  }

  /** The moves from the initial position to a node. @param {Node} [to] @returns {string[]} */
  moves(to = this.current) {
    return this.path(to).slice(1).map((each) => each.move);
  }

  /** The nodes from the root to a node. @param {Node} [to] @returns {Node[]} */
  path(to = this.current) {
    const nodes = [];
    for (let here = /** @type {Node | null} */ (to); here; here = here.parent) nodes.unshift(here);
    return nodes;
  }

  /** The line through a node: the moves that led to it, and the main line after it. @param {Node} [through] */
  line(through = this.current) {
    const nodes = this.path(through);
    for (let here = through; here.children.length; here = here.children[0]) nodes.push(here.children[0]);
    return nodes;
  }

  /** Go to the position after a move, which becomes a variation if it is new. @param {string} move @returns {Node} */
  play(move) {
    let next = this.current.children.find((child) => child.move === move);
    if (!next) {
      next = node(move, this.current);
      this.current.children.push(next);
    }
    this.current = next;
    return next;
  }

  /** Whether a node is on the main line. @param {Node} which */
  isMain(which) {
    return this.path(which).every((each) => !each.parent || each.parent.children[0] === each);
  }

  /** Make the line that leads to a node the main line. @param {Node} which */
  promote(which) {
    for (const each of this.path(which)) {
      if (!each.parent) continue;
      const siblings = each.parent.children;
      siblings.splice(siblings.indexOf(each), 1);
      siblings.unshift(each);
    }
  }

  /** Delete a node and what follows it; the position before it becomes current if it was within. @param {Node} which */
  remove(which) {
    if (!which.parent) return;
    if (this.path().includes(which)) this.current = which.parent;
    which.parent.children.splice(which.parent.children.indexOf(which), 1);
  }

  /** The tree as plain data, with the moves to the current node. */
  stored() {
    return { start: this.start, root: stored(this.root), current: this.moves() };
  }

  /** @param {{start: string | null, root: Stored, current?: string[]}} data @returns {Tree} */
  static from(data) {
    const tree = new Tree(data.start);
    restore(tree.root, data.root);
    for (const move of data.current ?? []) tree.play(move);
    return tree;
  }
}

/** @param {Node} from @returns {Stored} */
function stored(from) {
  const children = from.children.map(stored);
  return {
    move: from.move,
    ...(from.comment && { comment: from.comment }),
    ...(from.mark && { mark: from.mark }),
    ...(children.length && { children }),
  };
}

/** @param {Node} to @param {Stored} from */
function restore(to, from) {
  to.comment = from.comment ?? "";
  to.mark = from.mark ?? "";
  for (const child of from.children ?? []) {
    const made = node(child.move, to);
    to.children.push(made);
    restore(made, child);
  }
}
