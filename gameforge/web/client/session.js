// What the page keeps of each game, so that a reload, a restart of the server or the browser, and the back button lose
// nothing. A tab keeps its own games; the first tab that is open also keeps them for the next time.

/** @typedef {import("./newgame.js").Settings} Settings */

/**
 * @typedef {object} Kept A game as it stands.
 * @property {Settings} settings
 * @property {ReturnType<import("./tree.js").Tree["stored"]>} tree
 * @property {import("./clock.js").StoppedClock | null} clock
 * @property {boolean} flipped
 */

/** @typedef {{game: string, games: Record<string, Kept>, match: import("./matchform.js").Start | null}} Session */

const KEY = "gameforge";

export class Sessions {
  constructor() {
    /** @type {Storage[]} */
    this.stores = [];
    /** @type {Session} */
    this.now = { game: "", games: {}, match: null };
    /** The game that was opened last, in any tab; "" if unknown. */
    this.last = "";
  }

  /** Find what this tab has kept, or else what was kept the last time, unless another tab has it. */
  async begin() {
    const [own, shared] = [storage("sessionStorage"), storage("localStorage")];
    const first = await isFirst();
    this.stores = [own, first ? shared : null].filter((each) => each !== null);
    const before = read(shared);
    this.last = before?.game ?? "";
    this.now = read(own) ?? (first ? before : null) ?? this.now;
  }

  /** @param {string} game @param {Kept} kept */
  keep(game, kept) {
    this.now.game = game;
    this.now.games[game] = kept;
    this.write();
  }

  /** Keep the match that was started in this tab; null: it is over. @param {Session["match"]} match */
  keepMatch(match) {
    this.now.match = match;
    this.write();
  }

  write() {
    for (const store of this.stores) {
      try {
        store.setItem(KEY, JSON.stringify(this.now));
      } catch {
        // The store is full; the game then lasts as long as the page.
      }
    }
  }
}

/** Whether no other tab of this browser is open; this tab then counts as open until it is closed. @returns {Promise<boolean>} */
function isFirst() {
  return new Promise((resolve) => {
    if (!navigator.locks) {
      resolve(false);
      return;
    }
    navigator.locks.request(KEY, { ifAvailable: true }, (lock) => {
      resolve(lock !== null);
      return lock && new Promise(() => {});
    });
  });
}

/** A store; null if the browser allows none. @param {"sessionStorage" | "localStorage"} name @returns {Storage | null} */
function storage(name) {
  try {
    return window[name];
  } catch {
    return null;
  }
}

/** @param {Storage | null} store @returns {Session | null} */
function read(store) {
  try {
    const found = JSON.parse(store?.getItem(KEY) ?? "null");
    return found && typeof found.games === "object" ? found : null;
  } catch {
    return null;
  }
}
