// Apart from the chain: every child process loads this, and few of them more.
const WIDTH = 14;

/** Short and unique; ends with a random hex digit, for the handler. */
export function shortId(blockHash: string, transactionHash: string, logIndex?: number | string): string {
  const [block, transaction] = [blockHash, transactionHash].map((hash) => hash.slice(2, 2 + WIDTH));
  return `${block}-${logIndex ?? 't'}-${transaction}`;
}

const KEY = /^\d+:(0x[0-9a-f]{64}):(0x[0-9a-f]{64})(?::(\d+))?(:removed)?$/;

/** The id of the event in a key, or of what it is about on a chain. */
export function idOfKey(key: string): string {
  return shortIdOfKey(key) ?? key.slice(key.lastIndexOf(':') + 1);
}

/** The short id of what a `logIdentity` is about, with `-r` for a removal notice; undefined for another key. */
export function shortIdOfKey(key: string): string | undefined {
  const [, block, transaction, logIndex, removed] = KEY.exec(key) ?? [];
  if (block === undefined || transaction === undefined) return undefined;
  return `${shortId(block, transaction, logIndex)}${removed ? '-r' : ''}`;
}
