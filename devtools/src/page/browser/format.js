/** @param {number} number @param {number} [length] */
const padded = (number, length = 2) => String(number).padStart(length, '0');

/**
 * A time of the day, in the reader's zone: `14:03:21.456`.
 * @param {number} at Unix milliseconds
 */
export function clock(at) {
  const date = new Date(at);
  const seconds = `${padded(date.getSeconds())}.${padded(date.getMilliseconds(), 3)}`;
  return `${padded(date.getHours())}:${padded(date.getMinutes())}:${seconds}`;
}

/**
 * Date and time, for titles.
 * @param {number} at Unix milliseconds
 */
export function moment(at) {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? String(at) : date.toISOString();
}

/** @param {number} count */
export function bytes(count) {
  if (count < 1000) return `${count} B`;
  if (count < 1_000_000) return `${(count / 1000).toFixed(1)} kB`;
  return `${(count / 1_000_000).toFixed(1)} MB`;
}

/** @param {number} ms */
export function duration(ms) {
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

/**
 * How long until then: `in 4 s`.
 * @param {number} at Unix milliseconds
 * @param {number} now Unix milliseconds
 */
export function until(at, now) {
  const seconds = Math.ceil((at - now) / 1000);
  if (seconds <= 0) return 'now';
  return seconds < 90 ? `in ${seconds} s` : `in ${Math.ceil(seconds / 60)} min`;
}

/**
 * `1 event`, `2 events`.
 * @param {number} count
 * @param {string} noun
 * @param {string} [many]
 */
export function counted(count, noun, many = `${noun}s`) {
  return `${count.toLocaleString('en')} ${count === 1 ? noun : many}`;
}
