// A clock for two sides, with an increment after each move. Times are in seconds; `now` is the time of the page.
// Clocks of games in files are commands in comments, such as [%clk 0:04:10].

/** @typedef {{left: [number, number], increment: number}} StoppedClock */

export class Clock {
  /** @param {number} seconds @param {number} increment */
  constructor(seconds, increment) {
    this.increment = increment;
    /** @type {[number, number]} */
    this.left = [seconds, seconds];
    /** @type {number | null} */
    this.running = null;
    this.since = 0;
  }

  /** @param {StoppedClock} stopped */
  static from({ left, increment }) {
    const clock = new Clock(0, increment);
    clock.left = [...left];
    return clock;
  }

  /** The clock as plain data. @param {number} now @returns {StoppedClock} */
  stopped(now) {
    return { left: [this.at(0, now), this.at(1, now)], increment: this.increment };
  }

  /** Let the clock of one side run, and credit the other with its increment. @param {number} side @param {number} now */
  press(side, now) {
    if (this.running === side) return;
    this.pause(now);
    if (this.running !== null) this.left[this.running] += this.increment;
    this.running = side;
    this.since = now;
  }

  /** Charge the side whose clock runs. @param {number} now */
  pause(now) {
    if (this.running === null) return;
    this.left[this.running] = this.at(this.running, now);
    this.since = now;
  }

  /** @param {number} now */
  stop(now) {
    this.pause(now);
    this.running = null;
  }

  /** The time that a side has left. @param {number} side @param {number} now */
  at(side, now) {
    return Math.max(0, this.left[side] - (this.running === side ? now - this.since : 0));
  }

  /** The side whose time is over; null if none. @param {number} now @returns {number | null} */
  flagged(now) {
    return this.running !== null && this.at(this.running, now) === 0 ? this.running : null;
  }

  /** Seconds that a player should take for its move. @param {number} side @param {number} now */
  budget(side, now) {
    return Math.max(0.02, Math.min(this.at(side, now) / 3, this.at(side, now) / 30 + 0.7 * this.increment));
  }
}

/** A time as minutes and seconds, with tenths when few are left. @param {number} seconds */
export function timeText(seconds) {
  if (seconds < 10) return `0:0${(Math.floor(seconds * 10) / 10).toFixed(1)}`;
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

const COMMANDS = /\s*\[%\w+[^\]]*\]/g;

/** The command that notes the time left. @param {number} seconds */
export function clockCommand(seconds) {
  const whole = Math.floor(seconds);
  const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
  return `[%clk ${Math.floor(whole / 3600)}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}]`;
}

/** The time left that a comment notes, or else the time that the move took; "" if it notes none. @param {string} comment */
export function clockOf(comment) {
  return comment.match(/\[%clk\s+([^\]]*)\]/)?.[1].trim() ?? comment.match(/\[%emt\s+([^\]]*)\]/)?.[1].trim() ?? "";
}

/** What a comment says, without commands. @param {string} comment */
export function wordsOf(comment) {
  return comment.replace(COMMANDS, "").trim();
}

/** A comment that says something else, and keeps its commands. @param {string} comment @param {string} words */
export function reworded(comment, words) {
  return [...(comment.match(COMMANDS) ?? []).map((command) => command.trim()), words].filter(Boolean).join(" ");
}
