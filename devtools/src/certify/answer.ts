import { networkReason } from '../network-errors.js';
import type { Answer } from '../post.js';

export const isTaken = ({ status = 0 }: Answer) => status >= 200 && status < 300;

/** An answer in a few words: the status, or why there is none. */
export function answerWords({ status, code = '', location }: Answer): string {
  if (status === undefined) return networkReason(code);
  return location === undefined ? String(status) : `${status}, a redirect, which the service does not follow`;
}

/** Several answers, counted: `403 × 3, 200`. */
export function answersWords(answers: readonly Answer[]): string {
  const counts = new Map<string, number>();
  for (const answer of answers) counts.set(answerWords(answer), (counts.get(answerWords(answer)) ?? 0) + 1);
  return Array.from(counts, ([words, count]) => (count === 1 ? words : `${words} × ${count}`)).join(', ');
}

/** What to look at first if an authentic delivery got this answer, by status. */
export function fixOf({ status, code = '' }: Answer): string | undefined {
  if (status === undefined) {
    if (code === 'ETIMEDOUT')
      return 'Answer every request: look for a promise that is not awaited, or a `next()` that is not called.';
    return 'The process may have crashed: see its log.';
  }
  if (status >= 300 && status < 400)
    return 'Register the URL that answers itself: mind http or https, `www.`, and the slash at the end.';
  if (status === 404 || status === 405) return 'Mount the handler for POST at this path, or give its URL.';
  if (status === 413) return 'Raise the limit of the body, in the framework and in the proxy.';
  if (status === 429) return 'Exempt the sender from the rate limit, or raise it.';
  return undefined;
}
