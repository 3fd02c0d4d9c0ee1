import { createHmac } from 'node:crypto';
import { sampleEventEmitted, sampleTransactionIncluded } from 'event-webhook-receiver/testing';
import fc from 'fast-check';

/** An authentic delivery, from a signer that shares nothing with the library. */
export interface Delivery {
  readonly events: readonly unknown[];
  readonly body: string;
  readonly timestamp: string;
  readonly secret: string;
  readonly signature: string;
  /** Random pieces that stand in the body, of which no finding may show anything. */
  readonly markers: readonly string[];
}

/** HMAC over pieces, one after the other. */
export const sign = (key: string | Uint8Array, ...pieces: (string | Uint8Array)[]) =>
  mac('sha256', key, ...pieces).toString('hex');

export function mac(algorithm: string, key: string | Uint8Array, ...pieces: (string | Uint8Array)[]): Buffer {
  const hmac = createHmac(algorithm, key);
  for (const piece of pieces) hmac.update(piece);
  return hmac.digest();
}

/** A number as it is to be written. */
export class Digits {
  constructor(readonly text: string) {}
}

const GO_ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

/** JSON as Go's encoding/json writes it. */
export function goJson(value: unknown): string {
  if (value instanceof Digits) return value.text;
  if (typeof value === 'string') {
    let text = '';
    for (const character of value) {
      const code = character.codePointAt(0) ?? 0;
      const isHex = code < 0x20 || '<>&'.includes(character) || code === 0x2028 || code === 0x2029;
      text += GO_ESCAPES[character] ?? (isHex ? `\\u${code.toString(16).padStart(4, '0')}` : character);
    }
    return `"${text}"`;
  }
  if (Array.isArray(value)) return `[${value.map(goJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const members = Object.entries(value).filter(([, each]) => each !== undefined);
  return `{${members.map(([key, each]) => `${goJson(key)}:${goJson(each)}`).join(',')}}`;
}

/** Signs events as the service does. */
export function deliver(
  events: readonly unknown[],
  secret: string,
  timestamp: string,
  markers: readonly string[] = [],
): Delivery {
  const body = goJson(events);
  return { events, body, timestamp, secret, signature: sign(secret, body, timestamp), markers };
}

export const NOW = Date.UTC(2026, 10, 20, 12, 0, 0);

const hex = (length: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length });
const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'];
const word = (length: number) => fc.string({ unit: fc.constantFrom(...letters), minLength: length, maxLength: length });
const foreign = fc.constantFrom('é', 'ß', 'ñandú', 'Größe', 'ÀÇ', 'façade');
const wide = fc.constantFrom('😀', '漢字', '→', 'Ω', '\u2028', '🇩🇪', 'שלום');

const event = fc
  .tuple(
    fc.boolean(),
    fc.uuid({ version: 4 }),
    word(16),
    foreign,
    wide,
    fc.bigInt(0n, 2n ** 256n - 1n),
    fc.string({ unit: 'grapheme', maxLength: 12 }),
  )
  .map(([isEvent, id, marker, narrow, symbol, amount, free]) => {
    const name = `<${marker}> & é${narrow}`;
    if (!isEvent)
      return {
        marker,
        event: sampleTransactionIncluded({
          id,
          data: { status: name, createdAt: symbol, updatedAt: free, tx: { value: `0x${amount.toString(16)}` } },
        }),
      };
    const inputs = [
      { name: 'memo', value: `${symbol}${free}`, hashed: false, type: 'string' },
      { name: 'value', value: String(amount), hashed: false, type: 'uint256' },
    ];
    return {
      marker,
      event: sampleEventEmitted({ id, data: { event: { name, inputs, contract: { label: marker } } } }),
    };
  });

/** The forms that services give secrets. */
const secrets = fc.oneof(
  word(32),
  hex(64),
  word(43).map((text) => `${text}=`),
  word(24).map((text) => `whsec_${text}`),
  word(40).map((text) => `${text}+/`),
);

/** Fresh deliveries with what is hard in them: characters that Go escapes, letters beyond ASCII, emoji, large numbers. */
export const deliveries: fc.Arbitrary<Delivery> = fc
  .tuple(fc.array(event, { minLength: 1, maxLength: 3 }), secrets, fc.integer({ min: 0, max: 120 }))
  .map(([events, secret, age]) =>
    deliver(
      events.map((each) => each.event),
      secret,
      String(NOW / 1000 - age),
      events.map((each) => each.marker),
    ),
  );
