import { setImmediate } from 'node:timers/promises';
import { goEscaped } from '../explain/bytes.js';
import type { Attempt } from './delivery-record.js';
import type { Feed, KeptDelivery } from './feed.js';
import { gistText } from './gist.js';
import type { KnownContracts } from './known-contracts.js';

/** The result of a search. */
export interface Found {
  readonly ids: readonly string[];
  /**
   * Whether everything was searched: false if another search replaced this one, or if some bodies are no longer kept.
   */
  readonly complete: boolean;
}

export interface SearchOptions {
  readonly feed: Feed;
  readonly contracts: () => KnownContracts | undefined;
}

/**
 * Creates a case-insensitive text search over deliveries: bodies, headers, responses, ids, addresses, causes, and amounts as
 * the list shows them. Bodies are searched as bytes and never parsed, because they may be unverified. A new search
 * ends the previous one.
 */
export function createSearch({ feed, contracts }: SearchOptions) {
  let latest = 0;
  return async (text: string): Promise<Found> => {
    const own = ++latest;
    const known = contracts() ?? new Map();
    const wanted = text.toLowerCase();
    const inBodies = needlesOf(wanted);
    const ids: string[] = [];
    let complete = true;
    for (const record of feed.list()) {
      // Deliveries that arrive and a new search take precedence.
      await setImmediate();
      if (own !== latest) return { ids: [], complete: false };
      if (isInTexts(record, wanted, known) || contains(record.rawBody, inBodies)) ids.push(record.id);
      else if (record.bodyDropped) complete = false;
    }
    return { ids: ids.filter((id) => feed.get(id)), complete };
  };
}

function isInTexts(record: KeptDelivery, wanted: string, known: KnownContracts): boolean {
  return textsOf(record, known).some((each) => each.toLowerCase().includes(wanted));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII
const ASCII = /^[\x00-\x7f]*$/;

/** Other spellings of this text in a body, with JSON escapes. */
function needlesOf(wanted: string): string[] {
  const inJson = JSON.stringify(wanted).slice(1, -1);
  return [...new Set([wanted, inJson, goEscaped(inJson)])];
}

function contains(bytes: Uint8Array, needles: readonly string[]): boolean {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // Latin-1 decodes many times faster.
  const text = buffer.toString(needles.every((each) => ASCII.test(each)) ? 'latin1' : 'utf8').toLowerCase();
  return needles.some((each) => text.includes(each));
}

/** All texts of a delivery except its body. */
function textsOf(record: KeptDelivery, known: KnownContracts): string[] {
  const { id, target, label = '', cause, contents, attempts } = record;
  const { kinds, contracts, names, gist } = contents;
  const ofRecord = [
    id,
    `#${id}`,
    target,
    label,
    cause?.text ?? '',
    gistText(gist, known),
    ...kinds,
    ...contracts,
    ...names,
  ];
  return [...ofRecord, ...attempts.flatMap(ofAttempt)];
}

function ofAttempt({ headers, status, code = '', reason = '', fault = '', response }: Attempt): string[] {
  const answer = response && Buffer.from(response.bodyBase64, 'base64').toString('utf8');
  const lines = [...headers, ...(response?.headers ?? [])].map(([name, value]) => `${name}: ${value}`);
  return [String(status ?? ''), code, reason, fault, ...lines, ...(answer ? [answer] : [])];
}
