// Practice: endings against the best defence that a database knows, and puzzles from games, until they are solved.

import { Desk, preparing, say } from "./desk.js";
import { button, el, fill } from "./dom.js";
import { folders } from "./playerlist.js";
import { pathOf } from "./sight.js";
import { Tree } from "./tree.js";

/** @typedef {{start: string, goal: "win" | "draw", plies: number, source: string, box: number}} Exercise The number of plies is that of a puzzle; 0: an ending. */
/** @typedef {{due: number, boxes: number[], back: number | null, next: Exercise | null}} Overview */
/** @typedef {{own: string[], other: string[], text: string}} Forces */
/** @typedef {import("./tree.js").Node} Node */

/** @type {[string, {goal: "win" | "draw", shortest?: number, longest?: number}][]} */
const GOALS = [
  ["Win, of any length", { goal: "win" }],
  ["Win in up to 9 plies", { goal: "win", longest: 9 }],
  ["Win in 10 to 19 plies", { goal: "win", shortest: 10, longest: 19 }],
  ["Win in 20 plies or more", { goal: "win", shortest: 20 }],
  ["Hold the draw", { goal: "draw" }],
];
const TIMES = [["", "Its own limits"], ["0.1", "0.1 s a search"], ["0.3", "0.3 s a search"], ["1", "1 s a search"]];
/** The choice of the user's database among the folders with games. */
const DATABASE = "database";

export class Practice {
  /** @param {import("./main.js").App} app */
  constructor(app) {
    this.app = app;
    this.desk = new Desk(app.connection);
    /** @type {import("./types.js").GameView | null} */
    this.game = null;
    /** @type {Exercise | null} */
    this.exercise = null;
    /** What the person may do now. @type {"idle" | "asked" | "waiting" | "over"} */
    this.state = "idle";
    /** Whether this try is in the books already: the person has made a mistake, or asked for help. */
    this.recorded = false;
    /** Where the person is to move. @type {Node | null} */
    this.before = null;
    /** @type {Overview | null} */
    this.overview = null;
    /** @type {Forces[]} */
    this.forces = [];
    /** @type {AbortController | null} */
    this.asking = null;
    /** @type {AbortController | null} */
    this.searching = null;
    /** How many games of each folder have been searched. @type {Map<string, number>} */
    this.searched = new Map();
    this.task = el("h2", {});
    this.source = el("p", { class: "legend" });
    this.text = el("p", { class: "message" });
    this.acts = el("div", { class: "tools" });
    this.counts = el("p", { class: "legend" });
    this.due = button("", () => this.next(), { class: "primary" });
    this.ending = el("select", { "aria-label": "Pieces" });
    this.goal = el("select", { "aria-label": "Goal" }, ...GOALS.map(([text], i) => el("option", { value: i }, text)));
    this.draw = button("New ending", () => this.newEnding());
    this.known = el("p", { class: "legend" });
    this.games = el("select", { "aria-label": "Games" });
    this.time = el("select", { "aria-label": "Time of a search" }, ...TIMES.map(([value, text]) => el("option", { value }, text)));
    this.find = button("Find puzzles", () => (this.searching ? this.searching.abort() : this.search()));
    this.progress = el("p", { class: "legend" });
    this.player = el("input", { type: "text", spellcheck: "false", autocomplete: "off", "aria-label": "Player and database", placeholder: "The default player and its databases", change: () => this.askEndings() });
    this.desk.mayMove = () => this.state === "asked" && this.desk.tree.current === this.before;
    this.desk.moved = (move) => this.tried(move);
    fill(this.desk.panel, el("div", { class: "practice-task" }, this.task, this.source, this.text, this.acts),
      el("div", { class: "practice-part" }, this.due, this.counts),
      el("div", { class: "practice-part", role: "group", "aria-label": "Endings" }, el("h2", {}, "Endings"), this.ending, this.goal, this.draw, this.known),
      el("div", { class: "practice-part", role: "group", "aria-label": "Puzzles from games" }, el("h2", {}, "Puzzles from games"), this.games, this.time, this.find, this.progress),
      this.player);
  }

  /** The fields of a request about the game. */
  get asked() {
    return { game: this.game?.name ?? "", player: this.player.value.trim() };
  }

  async enter() {
    const game = this.app.desk.game;
    fill(this.app.main, this.desk.element);
    if (!game) return;
    if (this.game?.name !== game.name) {
      this.game = game;
      this.exercise = null;
      this.state = "idle";
      this.overview = null;
      this.searching?.abort();
      await this.desk.open(game, new Tree());
      this.askEndings();
    }
    const listed = await folders(this.app);
    const played = listed.folders.filter((folder) => folder.game === game.name && ["run", "match"].includes(folder.kind));
    const chosen = this.games.value;
    fill(this.games, el("option", { value: DATABASE }, "The database of games"), ...played.map(({ path }) => el("option", { value: `/${path}` }, path)));
    if (chosen) this.games.value = chosen;
    this.take(await this.desk.try(() => this.app.connection.ask("practice", { game: game.name })));
  }

  leave() {
    this.asking?.abort();
  }

  resume() {
    if (this.state === "waiting" && this.before) this.back(this.before, "The connection was lost. Make the move again.");
    this.askEndings();
  }

  /** Show what is due. @param {Overview | undefined} overview */
  take(overview) {
    if (overview) this.overview = overview;
    this.show();
  }

  show() {
    const { exercise, overview, state } = this;
    fill(this.task, exercise ? `${this.game?.sides[this.desk.tree.root.view?.turn ?? 0]} to move ${exercise.goal === "win" ? "and win" : "and hold the draw"}` : "Practice");
    fill(this.source, exercise ? `${exercise.plies ? "Puzzle" : "Ending"}${state === "over" && exercise.source ? `: ${exercise.source}` : ""}` : "");
    fill(this.acts, ...(exercise && state !== "over" ? [button("Hint", () => this.help(false)), button("Show the move", () => this.help(true))] : []),
      exercise && button("Start again", () => this.open(exercise)));
    if (!overview) return;
    const total = overview.boxes.reduce((a, b) => a + b, 0);
    this.due.disabled = !overview.next;
    fill(this.due, overview.due ? `${exercise ? "Next" : "Practise"}: ${overview.due} due` : "Nothing is due");
    const boxes = overview.boxes.flatMap((count, box) => (count ? [`${count} ${box ? `in box ${box}` : "new"}`] : []));
    const back = overview.due || overview.back === null ? "" : ` The next one comes back on ${new Date(1000 * overview.back).toLocaleDateString()}.`;
    fill(this.counts, total ? `${total} exercise${total === 1 ? "" : "s"}: ${boxes.join(", ")}.${back}` : "There are no exercises yet. Draw an ending, or find puzzles in games.");
  }

  /** Ask for the endings that the databases know. */
  async askEndings() {
    this.asking?.abort();
    const asking = new AbortController();
    this.asking = asking;
    this.draw.disabled = true;
    fill(this.known, "…");
    const update = (/** @type {any} */ what) => this.asking === asking && what.preparing !== undefined && fill(this.known, preparing(what));
    /** @type {{oracles: string[], endings: Forces[]} | undefined} */
    const found = await this.app.connection.ask("endings", this.asked, { signal: asking.signal, update }).catch((error) => {
      if (this.asking === asking) fill(this.known, `${error.message}.`);
    });
    if (this.asking !== asking) return;
    this.forces = found?.endings ?? [];
    fill(this.ending, ...this.forces.map(({ text }, i) => el("option", { value: i }, text)));
    this.draw.disabled = !this.forces.length;
    if (found) fill(this.known, this.forces.length ? `From ${found.oracles.join(", ")}` : "No database knows endings of this game. Name one below, such as the player + its database.");
  }

  async newEnding() {
    const { own, other } = this.forces[Number(this.ending.value)];
    const found = await this.desk.try(() => this.app.connection.ask("new-ending", { ...this.asked, own, other, ...GOALS[Number(this.goal.value)][1] }));
    if (found) await this.open(found.exercise);
  }

  /** Search games for puzzles, from where the last search ended. */
  async search() {
    const searching = new AbortController();
    this.searching = searching;
    fill(this.find, "Stop");
    const games = this.games.value;
    const key = `${this.asked.game} ${games}`;
    const skip = this.searched.get(key) ?? 0;
    const request = { ...this.asked, path: games === DATABASE ? null : games.slice(1), skip, limits: this.time.value ? { time: Number(this.time.value) } : {} };
    const update = (/** @type {any} */ what) => fill(this.progress, preparing(what));
    const found = await this.desk.try(() => this.app.connection.ask("puzzles", request, { signal: searching.signal, update }));
    if (this.searching === searching) this.searching = null;
    fill(this.find, "Find puzzles");
    if (!found) {
      fill(this.progress, searching.signal.aborted ? "Stopped. What was found is kept." : "");
      this.take(await this.desk.try(() => this.app.connection.ask("practice", { game: this.asked.game })));
      return;
    }
    this.searched.set(key, skip + found.searched);
    fill(this.progress, found.searched ? `${found.found} new puzzle${found.found === 1 ? "" : "s"} in ${found.searched} game${found.searched === 1 ? "" : "s"}.` : "All games have been searched.");
    say(this.progress.textContent ?? "");
    this.take(found);
  }

  /** Practise what has been due for longest. */
  next() {
    if (this.overview?.next) this.open(this.overview.next);
  }

  /** @param {Exercise} exercise */
  async open(exercise) {
    if (!this.game) return;
    this.exercise = exercise;
    this.recorded = false;
    const tree = new Tree(exercise.start);
    this.state = "idle";
    await this.desk.open(this.game, tree);
    if (this.exercise !== exercise || this.desk.tree !== tree) return;
    this.desk.seat(tree.root.view?.turn ?? 0);
    this.ask(tree.root, "Your move.");
    this.desk.panel.scrollTop = 0;
    this.desk.stage.scrollIntoView({ block: "nearest" });
    say(this.task.textContent ?? "");
  }

  /** Let the person move. @param {Node} before @param {string} text */
  ask(before, text) {
    this.before = before;
    this.state = "asked";
    fill(this.text, text);
    this.show();
    this.desk.go(before, true);
  }

  /** Take a move back, and ask again. @param {Node} before @param {string} text */
  back(before, text) {
    for (const child of [...before.children]) this.desk.tree.remove(child);
    this.ask(before, text);
    say(text);
  }

  /** The fields of a request about the exercise. @param {Node} node */
  where(node) {
    return { ...this.asked, start: this.exercise?.start, goal: this.exercise?.goal, moves: this.desk.tree.moves(node) };
  }

  /** The person has made a move, which the board shows next. @param {string} move */
  async tried(move) {
    const { before, exercise } = this;
    if (!before || !exercise) return;
    this.state = "waiting";
    fill(this.text, `${move}: let me see…`);
    const found = await this.desk.try(() => this.app.connection.ask("tried", { ...this.where(before), move }));
    if (this.state !== "waiting" || this.exercise !== exercise || this.before !== before) return;
    if (!found) this.back(before, `${move} could not be judged.`);
    else if (!found.good) {
      this.record(false);
      this.back(before, `${found.text} Try again.`);
    } else if (found.solved) {
      this.state = "over";
      fill(this.text, found.text);
      say(found.text);
      this.record(true);
      this.show();
    } else {
      const made = before.children.find((child) => child.move === move);
      if (!made) return;
      this.desk.tree.current = made;
      say(`${found.text} ${found.reply}`);
      this.ask(this.desk.tree.play(found.reply), `${found.text} ${found.reply} was the answer.`);
    }
  }

  /** Keep the result of this try: only the first one counts. @param {boolean} success */
  async record(success) {
    const { exercise } = this;
    if (this.recorded || !exercise) return;
    this.recorded = true;
    const kept = await this.desk.try(() => this.app.connection.ask("practised", { ...this.where(this.desk.tree.root), success, source: exercise.plies ? "" : exercise.source }));
    if (!kept) return;
    if (this.exercise === exercise && this.state === "over") this.text.append(` It comes back in ${kept.days} day${kept.days === 1 ? "" : "s"}.`);
    this.take(kept);
  }

  /** Show the piece that moves, or make the whole move; the exercise then counts as not solved. @param {boolean} whole */
  async help(whole) {
    const { before, exercise } = this;
    if (this.state !== "asked" || !before) return;
    const found = await this.desk.try(() => this.app.connection.ask("solution", this.where(before)));
    if (!found || this.exercise !== exercise || this.before !== before || this.state !== "asked") return;
    this.record(false);
    if (whole) {
      this.desk.play(found.move);
      return;
    }
    const path = before.view ? pathOf(before.view, found.move) : [];
    if (path.length) this.desk.board?.hint({ text: "", path: path.slice(0, 1), takes: [] });
    say(path.length ? `Hint: ${this.game?.board?.names[path[0]]}` : "There is no hint for this move.");
  }
}
