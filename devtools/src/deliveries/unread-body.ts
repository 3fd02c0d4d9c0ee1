import { certain, type Finding, fault } from '../explain/finding.js';
import { fixOf } from './code-fixes.js';
import type { HeaderLine } from './delivery-record.js';
import { headerOf } from './headers.js';
import { cut, printable } from './text-limits.js';

/** The statuses of a receiver that has not read the body: why, and what to do. */
const REFUSALS = new Map([
  [413, ['It is larger than the receiver accepts.', fixOf('ERR_WEBHOOK_BODY_TOO_LARGE')]],
  [415, ['It is compressed.', fixOf('ERR_WEBHOOK_CONTENT_ENCODING')]],
  [503, ['It did not arrive completely, or too much arrived at once.', fixOf('ERR_WEBHOOK_BODY_INCOMPLETE')]],
] as const);

/** The finding for a request that was refused before its body was read; undefined if the body was read. */
export function unreadBody(
  { status = 0, reason, headers }: UnreadRequest,
  body: Pick<Uint8Array, 'byteLength'>,
): Finding | undefined {
  const [why, fix] = REFUSALS.get(status as 413) ?? [];
  if (body.byteLength > 0 || why === undefined || fix === undefined) return undefined;
  const encoding = status === 415 ? headerOf(headers, 'Content-Encoding') : undefined;
  const header = encoding === undefined ? '' : ` (Content-Encoding: ${cut(printable(encoding), 40)})`;
  const what = `The body was not read, because the request was refused before, with ${status}${header}: ${reason ?? why}`;
  return certain(fault('body-not-read', what, fix));
}

interface UnreadRequest {
  readonly status?: number | undefined;
  /** (Default: what the status means.) */
  readonly reason?: string | undefined;
  readonly headers: readonly HeaderLine[];
}
