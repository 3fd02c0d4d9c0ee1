import type { EventEmitted } from 'event-webhook-receiver';
import { createTestDelivery, sampleEventEmitted } from 'event-webhook-receiver/testing';

/** The body of a delivery, as the service writes it. */
export const bytesOf = (events: readonly unknown[]): Buffer =>
  // Only the bytes are used: they are signed when they are sent.
  Buffer.from(createTestDelivery(events, { secret: '-' }).rawBody);

const word = (amount: bigint) => `0x${amount.toString(16).padStart(64, '0')}`;

/** A transfer of an amount in base units; the input may be converted to a decimal. */
export function transferOf(amount: bigint, input = String(amount)): EventEmitted {
  const sample = sampleEventEmitted();
  const { inputs, rawFields = '' } = sample.data.event;
  const log = JSON.stringify({ ...JSON.parse(rawFields), data: word(amount) });
  const event = { inputs: inputs.with(2, { ...(inputs[2] as (typeof inputs)[number]), value: input }), rawFields: log };
  return sampleEventEmitted({ id: sample.id, data: { event } });
}

/** Two logs of one transaction. */
export function twoLogs(): readonly [EventEmitted, EventEmitted] {
  const first = sampleEventEmitted();
  const { transaction, event } = first.data;
  const rawFields = JSON.stringify({ ...JSON.parse(event.rawFields ?? ''), logIndex: '0x1' });
  return [first, sampleEventEmitted({ data: { transaction, event: { rawFields, indexInLog: 1 } } })];
}

/** An event whose body is of exactly that many bytes. */
export function eventOfSize(bytes: number): EventEmitted {
  const id = crypto.randomUUID();
  const padded = (length: number) =>
    sampleEventEmitted({ id, data: { transaction: { txData: '0x'.padEnd(length, '0') } } });
  return padded(bytes - bytesOf([padded(2)]).length + 2);
}

/** An event of a contract with that name. */
export const eventNamed = (name: string): EventEmitted =>
  sampleEventEmitted({ data: { event: { contract: { name } } } });

const extra = { certify: { nested: [1, null, 'x'] } };

/** An event with keys that no documentation names, at every level. */
export function eventWithUnknownKeys(): unknown {
  const event = sampleEventEmitted();
  const { data } = event;
  const inputs = data.event.inputs.map((input) => ({ ...input, ...extra }));
  const contract = { ...data.event.contract, ...extra };
  return { ...event, data: { ...data, event: { ...data.event, inputs, contract, ...extra }, ...extra }, ...extra };
}

/** An event of a kind that the service may add. */
export const eventOfUnknownKind = () => ({
  id: crypto.randomUUID(),
  event: 'block.finalized',
  data: { triggeredAt: '2026-01-02T03:04:05Z', blockNumber: 16 },
});

/** An event whose contract has an `addressAlias`, as the live service writes it. */
export function eventWithAlias(): unknown {
  const event = sampleEventEmitted();
  const renamed = JSON.stringify(event).replaceAll('"addressLabel":', '"addressAlias":');
  return JSON.parse(renamed);
}
