// A clock for two sides, with an increment after each move. Times are in seconds; `now` is the time of the page.

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
