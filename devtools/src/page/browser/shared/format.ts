/** Date and time in the reader's zone: `2026-01-02 14:03:21`. Sweden writes them so. */
const local = (at: number) => new Date(at).toLocaleString('sv');

/** A time of the day, in the reader's zone: `14:03:21`. @param at Unix milliseconds */
export const clock = (at: number) => local(at).slice(-8);

/** A time, with its date unless it is today: `14:03:21`, `2026-01-02 14:03:21`. @param at Unix milliseconds */
export const day = (at: number) => (local(at).slice(0, 10) === local(Date.now()).slice(0, 10) ? clock(at) : local(at));

/** Date and time in the reader's zone, and in UTC if that is another one. @param at Unix milliseconds */
export function moment(at: number): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return String(at);
  const utc = `${date.toISOString().replace('T', ' ').slice(0, -1)} UTC`;
  return date.getTimezoneOffset() === 0 ? utc : `${local(at)}\n${utc}`;
}

/** Digits in groups: `1,353`. */
export const grouped = (count: number) => count.toLocaleString('en');

export function bytes(count: number): string {
  if (count < 1000) return `${count} B`;
  if (count < 1_000_000) return `${(count / 1000).toFixed(1)} kB`;
  return `${(count / 1_000_000).toFixed(1)} MB`;
}

/** A duration, rounded to its precision, and never as 60 s. */
export function duration(ms: number): string {
  if (ms < 10) return `${Math.round(ms * 10) / 10} ms`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** How long until then: `in 4 s`. Both in Unix milliseconds. */
export function until(at: number, now: number): string {
  const seconds = Math.ceil((at - now) / 1000);
  if (seconds <= 0) return 'now';
  return seconds < 90 ? `in ${seconds} s` : `in ${Math.ceil(seconds / 60)} min`;
}

/** `1 event`, `2 events`. */
export const counted = (count: number, noun: string, many = `${noun}s`) =>
  `${grouped(count)} ${count === 1 ? noun : many}`;

const STATUSES: Readonly<Record<number, string>> = {
  200: 'OK',
  202: 'Accepted',
  204: 'No Content',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

/** A status with its name: `403 Forbidden`. */
export const statusLine = (status: number) => [status, STATUSES[status]].filter(Boolean).join(' ');
