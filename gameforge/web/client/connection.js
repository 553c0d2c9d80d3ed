// The connection to the server: requests with numbers, answers, and another attempt after a loss.

const RETRY = 500;
const LONGEST_RETRY = 4000;

/** A request that the server refused; the message is a sentence for the user. */
export class Refused extends Error {}

/** The connection was lost before the answer came; the request can be repeated. */
export class Lost extends Error {}

/**
 * @typedef {object} Waiting
 * @property {(answer: any) => void} resolve
 * @property {(error: Error) => void} reject
 * @property {((update: any) => void) | undefined} update
 */

export class Connection {
  /**
   * @param {() => WebSocket} connect Makes a socket.
   * @param {(open: boolean) => void} changed Called when the connection opens and when it is lost.
   */
  constructor(connect, changed) {
    this.connect = connect;
    this.changed = changed;
    this.number = 0;
    this.delay = RETRY;
    /** @type {Map<number, Waiting>} */
    this.waiting = new Map();
    /** @type {WebSocket} */
    this.socket = this.begin();
  }

  get isOpen() {
    return this.socket.readyState === 1;
  }

  /** @returns {WebSocket} */
  begin() {
    const socket = this.connect();
    socket.addEventListener("open", () => {
      this.delay = RETRY;
      this.changed(true);
    });
    socket.addEventListener("message", (event) => this.take(JSON.parse(event.data)));
    socket.addEventListener("close", () => this.lose());
    return socket;
  }

  lose() {
    const waiting = [...this.waiting.values()];
    this.waiting.clear();
    for (const { reject } of waiting) reject(new Lost("the connection was lost"));
    this.changed(false);
    setTimeout(() => (this.socket = this.begin()), this.delay);
    this.delay = Math.min(2 * this.delay, LONGEST_RETRY);
  }

  /**
   * Send a request and return its last answer; `update` gets the answers before it. The signal cancels it.
   * @param {string} name
   * @param {object} [fields]
   * @param {{update?: (update: any) => void, signal?: AbortSignal}} [options]
   * @returns {Promise<any>}
   */
  ask(name, fields = {}, { update, signal } = {}) {
    const id = ++this.number;
    return new Promise((resolve, reject) => {
      if (!this.isOpen) {
        reject(new Lost("there is no connection"));
        return;
      }
      this.waiting.set(id, { resolve, reject, update });
      this.socket.send(JSON.stringify({ id, do: name, ...fields }));
      signal?.addEventListener("abort", () => {
        if (!this.waiting.delete(id)) return;
        if (this.isOpen) this.socket.send(JSON.stringify({ cancel: id }));
        reject(new DOMException("cancelled", "AbortError"));
      });
    });
  }

  /** @param {{id: number | null, done?: boolean, error?: string}} answer */
  take(answer) {
    const waiting = answer.id === null ? undefined : this.waiting.get(answer.id);
    if (!waiting || answer.id === null) return;
    if (answer.done === false) {
      waiting.update?.(answer);
      return;
    }
    this.waiting.delete(answer.id);
    if (answer.error === undefined) waiting.resolve(answer);
    else waiting.reject(new Refused(answer.error));
  }
}
