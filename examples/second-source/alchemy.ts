// Alchemy's Address Activity webhooks as a second source: verified as Alchemy documents, mapped to our events.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { EventEmitted } from 'event-webhook-receiver';
import { decodeEventLog, getAddress, parseAbi, toEventSignature } from 'viem';
import { z } from 'zod';

const abi = parseAbi(['event Transfer(address indexed from, address indexed to, uint256 value)']);

const hex = z.templateLiteral(['0x', z.string()]);
// The log of a token transfer is an RPC log. Transfers of the chain's currency have none.
const log = z.looseObject({
  address: hex,
  topics: z.tuple([hex], hex),
  data: hex,
  transactionHash: hex,
  logIndex: hex,
});
const payload = z.object({
  createdAt: z.string(),
  event: z.object({ network: z.string(), activity: z.array(z.object({ log: log.optional() })) }),
});

/** Whether Alchemy signed the body: HMAC-SHA256 as hex digits, under the webhook's signing key. */
export function isAlchemys(rawBody: Buffer, signature: string | undefined, signingKey: string): boolean {
  const expected = createHmac('sha256', signingKey).update(rawBody).digest('hex');
  const given = Buffer.from(signature ?? '');
  return given.length === expected.length && timingSafeEqual(given, Buffer.from(expected));
}

/** The transfers of one token in a verified body. Throws if the body has another shape or comes from another network. */
export function transfersOf(rawBody: Buffer, network: string, token: string): EventEmitted[] {
  const { createdAt, event } = payload.parse(JSON.parse(rawBody.toString()));
  if (event.network !== network) throw new Error(`The webhook is for ${event.network}, not for ${network}.`);
  return event.activity.flatMap(({ log }) =>
    log && getAddress(log.address) === getAddress(token) ? [transferOf(log, createdAt)] : [],
  );
}

function transferOf(found: z.infer<typeof log>, createdAt: string): EventEmitted {
  const { from, to, value } = decodeEventLog({ abi, topics: found.topics, data: found.data }).args;
  return {
    id: `alchemy:${found.transactionHash}:${found.logIndex}`,
    event: 'event.emitted',
    data: {
      triggeredAt: createdAt, // the payload has no time of the block
      event: {
        name: 'Transfer',
        signature: toEventSignature(abi[0]),
        inputs: [
          { name: 'from', value: from, hashed: false, type: 'address' },
          { name: 'to', value: to, hashed: false, type: 'address' },
          { name: 'value', value: String(value), hashed: false, type: 'uint256' },
        ],
        rawFields: JSON.stringify(found),
        contract: { address: getAddress(found.address), addressLabel: '', name: 'Token', label: 'token' },
        indexInLog: Number(found.logIndex),
      },
    },
  };
}
