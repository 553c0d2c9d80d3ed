// Games from files and to files, positions as text, and pictures: the menu of the analysis.

import { complain, say } from "./desk.js";
import { button, el } from "./dom.js";
import { askPaste } from "./paste.js";
import { download, picture, toPng } from "./pictures.js";
import { setUp } from "./setup.js";
import { Tree } from "./tree.js";

/**
 * @typedef {object} StoredHead
 * @property {string} title
 * @property {string} event
 * @property {string} result
 * @property {string | null} start
 * @property {[string, string]} players
 */

/**
 * @typedef {object} Noted A line with what is noted on its moves, by number.
 * @property {string[]} moves
 * @property {Record<string, string>} comments
 * @property {Record<string, string>} marks
 * @property {Record<string, Noted[]>} [variations]
 */

/** @typedef {StoredHead & Noted} StoredGame */

/** A game from a file as a tree. @param {StoredGame} game @returns {Tree} */
export function treeOf(game) {
  const tree = new Tree(game.start);
  add(tree, tree.root, game);
  tree.current = tree.root;
  return tree;
}

/** Add a line and its variations after a node. @param {Tree} tree @param {import("./tree.js").Node} from @param {Noted} line */
function add(tree, from, line) {
  let here = from;
  if (line.comments["0"]) here.comment ||= line.comments["0"];
  line.moves.forEach((move, i) => {
    tree.current = here;
    const next = tree.play(move);
    next.comment = line.comments[String(i + 1)] ?? "";
    next.mark = line.marks[String(i)] ?? "";
    for (const other of line.variations?.[String(i)] ?? []) add(tree, here, other);
    here = next;
  });
}

/** What is noted on a line, from a node on; variations are those of its nodes. @param {import("./tree.js").Node[]} line @returns {Required<Omit<Noted, "moves">>} */
export function notes(line) {
  const comments = Object.fromEntries(line.flatMap((node, i) => (node.comment ? [[String(i), node.comment]] : [])));
  const marks = Object.fromEntries(line.slice(1).flatMap((node, i) => (node.mark ? [[String(i), node.mark]] : [])));
  const variations = Object.fromEntries(line.slice(0, -1).flatMap((node, i) => {
    const others = node.children.filter((child) => child !== line[i + 1]);
    return others.length ? [[String(i), others.map((child) => noted(node, child))]] : [];
  }));
  return { comments, marks, variations };
}

/** A variation that begins with a child of a node. @param {import("./tree.js").Node} parent @param {import("./tree.js").Node} first @returns {Noted} */
function noted(parent, first) {
  const line = [first];
  while (line[line.length - 1].children.length) line.push(line[line.length - 1].children[0]);
  // The parent's comment and its other children belong to the line that this one leaves.
  return { moves: line.map(({ move }) => move), ...notes([{ ...parent, comment: "", children: [first] }, ...line]) };
}

export class Filing {
  /** @param {import("./main.js").App} app @param {(tree: Tree, game: StoredGame | null) => void} opened */
  constructor(app, opened) {
    this.app = app;
    this.desk = app.desk;
    this.opened = opened;
    this.chooser = el("input", { type: "file", hidden: true, "aria-label": "File of games", change: () => this.load() });
    this.element = el("div", { class: "tools" }, this.chooser,
      button("Load", () => this.chooser.click()),
      button("Paste", () => askPaste(this)),
      button("Save", () => this.save()),
      button("Position", () => this.askPosition()),
      button("Page", () => this.save(true), { title: "The game as an HTML page, which opens without a server" }),
      button("Picture", () => this.askPicture()));
  }

  /** Send the chosen file to the server, and let the person choose one of its games. */
  async load() {
    const file = this.chooser.files?.[0];
    if (!file || !this.desk.game) return;
    this.chooser.value = "";
    const address = `/games?${new URLSearchParams({ game: this.desk.game.name, name: file.name })}`;
    try {
      const answer = await fetch(address, { method: "POST", body: file });
      const found = await answer.json();
      if (!answer.ok) complain(found.error);
      else this.choose(found.games, found.notices);
    } catch {
      complain("The server cannot be reached, or the file is too large.");
    }
  }

  /** @param {StoredGame[]} games @param {string[]} notices */
  choose(games, notices) {
    if (notices.length) complain(notices.join("; "));
    if (games.length === 1) {
      this.opened(treeOf(games[0]), games[0]);
      return;
    }
    const dialog = el("dialog", { class: "list", "aria-label": "Games" }, el("h2", {}, `${games.length} games`));
    const open = (/** @type {StoredGame} */ game) => {
      dialog.close();
      this.opened(treeOf(game), game);
    };
    dialog.append(el("div", { class: "rows" }, ...games.map((game, i) =>
      button(`${i + 1}. ${game.title} ${game.event} ${game.result}`.trim(), () => open(game)))), button("Cancel", () => dialog.close()));
    show(dialog);
  }

  /** Save the line through the current position. page: as an HTML page. */
  async save(page = false) {
    const { tree, players } = this.desk;
    const line = tree.line();
    const request = { ...this.desk.where(line[line.length - 1]), players: players.map(({ name }) => name), notes: notes(line), page };
    const answer = await this.desk.try(() => this.app.connection.ask("save", request));
    if (answer) download(answer.name, new Blob([answer.text], { type: page ? "text/html" : "text/plain" }));
  }

  /** Show the position as text, to copy it or to set up another one. */
  askPosition() {
    const text = el("textarea", { rows: 3, spellcheck: "false", "aria-label": "Position" });
    text.value = this.desk.view?.text ?? "";
    const copy = async () => {
      text.select();
      await navigator.clipboard?.writeText(text.value).catch(() => document.execCommand("copy"));
      say("Copied");
    };
    const dialog = el("dialog", { "aria-label": "Position" }, el("h2", {}, "Position"), text);
    const set = async () => {
      if (await this.open(text.value.trim())) dialog.close();
    };
    const byHand = () => {
      dialog.close();
      setUp(this.app, (position) => this.open(position));
    };
    dialog.append(el("div", { class: "buttons" },
      this.desk.game?.board?.kinds ? button("By hand", byHand) : "",
      button("Copy", copy), button("Cancel", () => dialog.close()), button("Set up", set, { class: "primary" })));
    show(dialog);
  }

  /** Open a position; "" is the initial one. Returns whether the server accepts it. @param {string} position */
  async open(position) {
    const tree = new Tree(position || null);
    const accepted = this.desk.game !== null && (await this.desk.accepts(this.desk.game.name, tree));
    if (accepted) this.opened(tree, null);
    return accepted;
  }

  askPicture() {
    const board = this.desk.game?.board;
    if (!board) {
      complain("This game has no board to draw.");
      return;
    }
    const flipped = this.desk.flipped;
    const dialog = el("dialog", { class: "small", "aria-label": "Picture" }, el("h2", {}, "Picture"));
    const close = (/** @type {() => Promise<void>} */ work) => async () => {
      dialog.close();
      await work();
    };
    const svgFile = (/** @type {string} */ source) => new Blob([source], { type: "image/svg+xml" });
    const now = () => picture(board, this.desk.view ? [this.desk.view] : [], flipped);
    dialog.append(
      button("SVG of the position", close(async () => download("position.svg", svgFile(now())))),
      button("PNG of the position", close(async () => download("position.png", await toPng(now())))),
      button("Animated SVG of the game", close(async () => {
        const views = await this.views();
        if (views) download("game.svg", svgFile(picture(board, views, flipped)));
      })),
      button("Cancel", () => dialog.close()));
    show(dialog);
  }

  /** All positions of the line. */
  async views() {
    return this.desk.try(async () => {
      const views = [];
      for (const node of this.desk.tree.line()) {
        node.view ??= /** @type {import("./types.js").PositionView} */ ((await this.app.connection.ask("show", this.desk.where(node))).position);
        views.push(node.view);
      }
      return views;
    });
  }
}

/** @param {HTMLDialogElement} dialog */
function show(dialog) {
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
