import type { DeliveryItem, EventEmitted } from 'event-webhook-receiver';
import { rawLog } from 'event-webhook-receiver/evm';
import { attempt } from '../guards.js';
import { amountText, grouped, isAmount } from './amounts.js';
import type { KnownContracts } from './known-contracts.js';
import { cut, printable, textOf } from './text-limits.js';

/** A short description of a delivery. The amount is separate, because its unit may become known later. */
export interface Gist {
  readonly text: string;
  readonly amount?: Amount | undefined;
  /** Number of further items. */
  readonly more: number;
}

interface Amount {
  /** An integer. */
  readonly digits: string;
  /** Whether it is the exact number on the chain. */
  readonly exact: boolean;
  /** Lower-case address of the token. */
  readonly token: string;
}

/** The gist of a body that was not read. */
export const NO_GIST: Gist = { text: '', more: 0 };

const LONGEST = 120;
const INPUTS = 4;
const HEX = /^0x[\da-f]{9,}$/i;
const UNLIMITED = String(2n ** 256n - 1n);

/** The gist of a delivery's first item, and the number of further items. */
export function gistOf(items: readonly DeliveryItem[]): Gist {
  const [first] = items;
  if (first === undefined) return NO_GIST;
  return { ...ofItem(first), more: items.length - 1 };
}

/** The gist as one line of at most 120 characters, with amounts in units of known tokens. */
export function gistText({ text, amount, more }: Gist, contracts?: KnownContracts): string {
  const parts = [amount && textOfAmount(amount, contracts), text].filter((part) => part);
  const rest = more > 0 && parts.length > 0 ? ` and ${grouped(String(more))} more` : '';
  return cut(parts.join(' · '), LONGEST - rest.length) + rest;
}

function textOfAmount({ digits, exact, token }: Amount, contracts: KnownContracts | undefined): string {
  const known = contracts?.get(token);
  const number = digits === UNLIMITED ? 'unlimited' : amountText(digits, exact ? known?.decimals : undefined);
  return known?.symbol ? `${number} ${cut(printable(known.symbol), 20)}` : number;
}

function ofItem(item: DeliveryItem): Omit<Gist, 'more'> {
  if (item.status === 'unknown') return { text: '' };
  if (item.status === 'invalid') return { text: line(item.issues.map(({ message }) => message).join('; ')) };
  const { event } = item;
  if (event.event === 'event.emitted') return ofEvent(event);
  const { tx, status, failed } = event.data;
  const hash = typeof tx?.hash === 'string' ? `tx ${short(tx.hash)}` : '';
  const outcome = failed === true ? 'failed' : short(status ?? '');
  return { text: [hash, outcome].filter((part) => part !== '').join(' · ') };
}

function ofEvent(event: EventEmitted): Omit<Gist, 'more'> {
  const { name, inputs, contract } = event.data.event;
  const [from, to, value] = inputs;
  const types = inputs.map(({ type }) => type).join();
  if (from && to && value && types === 'address,address,uint256') {
    const text = [from, to].map((input) => short(input.value).replace(/…$/, '')).join(' → ');
    const log = attempt(() => rawLog(event));
    // In the token standards, an id is indexed and an amount is not.
    if (log?.topics.length === 4)
      return { text: `${value.name === 'value' ? '#' : `${line(value.name)} `}${short(value.value)} · ${text}` };
    const onChain = log && /^0x[\da-f]{64}$/i.test(log.data) ? String(BigInt(log.data)) : undefined;
    const digits = onChain ?? textOf(value.value);
    if (!/^\d{1,78}$/.test(digits)) return { text: `${short(value.value)} · ${text}` };
    const exact = onChain !== undefined && isAmount(name);
    return { text, amount: { digits, exact, token: contract.address.toLowerCase() } };
  }
  const shown = inputs.slice(0, INPUTS).map((input) => `${line(input.name)} ${short(input.value)}`.trim());
  return { text: shown.join(', ') + (inputs.length > INPUTS ? ', …' : '') };
}

const line = (text: string) => cut(printable(cut(text, 40)), 40);

/** A short form of a value: addresses and hashes are cut, digits of numbers are grouped. */
function short(value: unknown): string {
  const text = textOf(value);
  if (HEX.test(text)) return `${text.slice(0, 6)}…`;
  return /^\d{5,78}$/.test(text) ? grouped(text) : line(text);
}
