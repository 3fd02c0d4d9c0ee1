import { createHmac } from 'node:crypto';
import { createReceiver, memoryStore, type Receiver } from '../../src/index.js';
import { check } from './target.js';

const SECRET = 'whsec-test';
export const TIMESTAMP = '1700000000';

/** What a genuine sender signs here: an event that the receiver hands to its handler. */
export const EVENT = '{"id":"a","event":"transaction.included","data":{}}';

/** The ids of the events of a body, as JSON.parse reads them. */
function idsOf(body: Buffer): string[] {
  try {
    const items: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body));
    return Array.isArray(items) ? items.map((item) => String(Object(item).id)) : [];
  } catch {
    return [];
  }
}

/**
 * A receiver, and what its handler may be called for: in each input exactly one body is signed, at one time, and only if
 * the input uses the signature. Whoever gets anything else to the handler has forged it.
 */
export class Authentic {
  readonly receiver: Receiver;
  readonly #handled: string[] = [];
  #run = 0;
  #allowed: readonly string[] = [];

  constructor() {
    this.receiver = createReceiver({
      secret: SECRET,
      now: () => 1000 * Number(TIMESTAMP),
      store: memoryStore({ maxKeys: 1000 }),
      maxBodyBytes: 500,
      idempotencyKey: ({ id }) => `${this.#run}:${id}`,
      onEvent: ({ id }, { timestamp }) => {
        this.#handled.push(String(timestamp) === TIMESTAMP ? id : `${id} at ${timestamp}`);
      },
    });
  }

  /** Begins an input: replaces `{sig}`, `{time}`, `{body}`, `{length}`, `{chunk}`, `{base64}` and `{split}` in its text. */
  begin(text: string, body: Buffer): string {
    this.#run++;
    this.#handled.length = 0;
    this.#allowed = text.includes('{sig}') ? idsOf(body) : [];
    const latin1 = body.toString('latin1');
    return text
      .replaceAll('{sig}', createHmac('sha256', SECRET).update(body).update(TIMESTAMP).digest('hex'))
      .replaceAll('{time}', TIMESTAMP)
      .replaceAll('{length}', String(body.length))
      .replaceAll('{chunk}', `${body.length.toString(16)}\r\n${latin1}\r\n`)
      .replaceAll('{base64}', body.toString('base64'))
      .replaceAll('{split}', `${latin1.slice(0, 5)}\x01${latin1.slice(5)}`)
      .replaceAll('{body}', latin1);
  }

  /** Ends an input: the handler was called for nothing but what was signed, and once. */
  end(): readonly string[] {
    const handled = [...this.#handled];
    check(
      handled.every((id) => this.#allowed.includes(id)),
      'the handler is called for authentic events only',
    );
    check(new Set(handled).size === handled.length, 'the handler is called once per event');
    return handled;
  }
}
