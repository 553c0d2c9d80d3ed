// The teacher: before the opponent answers, a strong player looks at the person's move, and offers to take a mistake back.

import { say } from "./desk.js";
import { button, fill } from "./dom.js";

const KEPT = "gameforge-teacher";

export class Teacher {
  /** @param {import("./play.js").Play} play */
  constructor(play) {
    this.play = play;
    this.on = kept();
    this.round = 0;
    /** Mistakes that the person wants to play. @type {WeakSet<import("./tree.js").Node>} */
    this.accepted = new WeakSet();
    this.switch = button("Teacher", () => this.toggle(), { class: "toggle", title: "Say so when a move is a mistake, and offer to take it back", "aria-pressed": String(this.on) });
  }

  toggle() {
    this.on = !this.on;
    this.switch.setAttribute("aria-pressed", String(this.on));
    try {
      localStorage.setItem(KEPT, String(this.on));
    } catch {
      // The browser allows no storage; the choice then lasts as long as the page.
    }
  }

  /** Look at the person's move, and let the opponent answer unless it is a mistake. With a clock, the opponent answers at once. @param {() => void} answer */
  async check(answer) {
    const { desk, app } = this.play;
    const round = ++this.round;
    const node = desk.tree.current;
    if (!this.on || this.play.clock || !node.parent || this.accepted.has(node)) {
      answer();
      return;
    }
    const request = { ...desk.where(node.parent), move: node.move };
    const found = await app.connection.ask("attempt", request).catch(() => undefined); // the game goes on without the teacher
    if (round !== this.round || desk.tree.current !== node || app.view !== this.play) return;
    if (found && !found.good) this.warn(node, found, answer);
    else answer();
  }

  /** @param {import("./tree.js").Node} node @param {{loss: string}} found @param {() => void} answer */
  warn(node, { loss }, answer) {
    const text = `${node.move} ${loss ? `is a mistake: ${loss}` : "is a mistake"}. Take it back?`;
    const playOn = () => {
      this.accepted.add(node);
      fill(this.play.message);
      answer();
    };
    fill(this.play.message, `${text} `, button("Take it back", () => this.play.undo(), { class: "primary" }), " ", button("Play on", playOn));
    say(text);
  }
}

function kept() {
  try {
    return localStorage.getItem(KEPT) === "true";
  } catch {
    return false;
  }
}
