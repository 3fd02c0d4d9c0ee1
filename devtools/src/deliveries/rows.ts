import type { DeliveryItem, EventEmitted, EventIssue } from 'event-webhook-receiver';
import type { JsonValue } from 'event-webhook-receiver/schemas';
import { cut, textOf } from './text-limits.js';

/** An item as a row: kind, name, contract and values. The texts are short but untrusted. */
export type Row = readonly [kind: string, name: string, contract: string, values: string];

/** Limit of rows; others are only counted. */
const ROWS = 20;
const INPUTS = 8;
const HEX = /^0x[\da-f]{40,}$/i;

/** The first items of a delivery as rows. */
export function rowsOf(items: readonly DeliveryItem[]): Row[] {
  return items.slice(0, ROWS).map(rowOf);
}

function rowOf(item: DeliveryItem): Row {
  if (item.status === 'invalid') {
    const [{ path, message }] = item.issues as [EventIssue];
    return ['invalid', '', '', cut(`${path.join('.') || 'item'}: ${message}`, 200)];
  }
  if (item.status === 'unknown') return [cut(item.kind, 40), '', '', 'a kind that this version does not know'];
  const { event } = item;
  if (event.event === 'event.emitted') return emitted(event);
  const { tx, status, failed } = event.data;
  const to = typeof tx?.to === 'string' ? short(tx.to) : '';
  const hash = typeof tx?.hash === 'string' ? `hash ${short(tx.hash)}` : '';
  return [event.event, cut(textOf(status ?? ''), 40), to, failed === true ? `${hash}  failed` : hash];
}

function emitted({ event: kind, data }: EventEmitted): Row {
  const { name, contract, inputs } = data.event;
  const values = inputs.slice(0, INPUTS).map((input) => `${cut(input.name, 40)} ${short(input.value)}`.trim());
  if (inputs.length > INPUTS) values.push(`… ${inputs.length - INPUTS} more`);
  const where = cut(contract.label || contract.addressLabel, 40) || short(contract.address);
  return [kind, cut(name, 40), where, values.join('  ')];
}

/** A short form of a value: addresses and hashes keep their ends. */
function short(value: JsonValue): string {
  return cut(shortHex(textOf(value)), 80);
}

/** Shortens an address or a hash to its ends; other texts are unchanged. */
export const shortHex = (text: string): string => (HEX.test(text) ? `${text.slice(0, 6)}…${text.slice(-4)}` : text);
