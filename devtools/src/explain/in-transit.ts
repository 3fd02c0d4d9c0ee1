import { bodyFaults } from './body-faults.js';
import type { Finding } from './finding.js';

/** `listener`: the listener read the exact bytes. `receiver`: a receiver read them, unless the app set `rawBody`. */
export type ReadBy = 'listener' | 'receiver';

const proxy = 'in the proxy, gateway or firewall in front (docs/operate/proxies.md)';
const rewritten = `Turn off the rewriting of bodies for this path ${proxy}. Or have the sender sign exactly the bytes that it sends.`;
const filled = ' If your app fills `rawBody` of the request itself, have it keep the bytes as received.';

/** Fixes for a body that was not changed after its arrival, if they differ from the usual ones. */
const FIXES: Readonly<Record<string, string>> = {
  'body-empty': `Have the sender send the body to the final URL: a redirect drops it. Or turn off what drops bodies for this path ${proxy}.`,
  'body-truncated': `Have the sender send the whole body. Or raise the size limit for this path ${proxy}.`,
  'body-compressed': `Have the sender send the body uncompressed, as it was signed. Or turn off the compression of requests for this path ${proxy}.`,
  'body-trimmed': `Have the sender sign exactly the bytes that it sends, with nothing between body and timestamp. Or turn off trimming for this path ${proxy}.`,
  'body-with-timestamp': 'Have the sender put the timestamp into its header only, not at the end of the body.',
};

/** The finding, with the fix for a body that was read on arrival: only the sender or a proxy can have changed it. */
export function asArrived(finding: Finding, readBy: ReadBy | undefined): Finding {
  const { cause } = finding;
  if (readBy === undefined || !Object.hasOwn(bodyFaults, cause)) return finding;
  return { ...finding, fix: `${FIXES[cause] ?? rewritten}${readBy === 'receiver' ? filled : ''}` };
}
