import type { WebhookError } from '../../errors.js';
import { handlerError } from './errors.js';

/** How many writes DynamoDB takes in one transaction. */
const MOST_WRITES = 100;
const KINDS = ['Put', 'Update', 'Delete', 'ConditionCheck'];

/** The `context.tx` of a transactional store. */
export interface DynamoDBTransaction<Item extends object = object> {
  /**
   * Adds copies of writes to the transaction that records the key of the event. They are sent after the handler has
   * resolved, and take effect together with the key or not at all, so the handler cannot read them back. Throws if a
   * write is not one of `{ Put }`, `{ Update }`, `{ Delete }` and `{ ConditionCheck }`, if there are more than 100
   * writes and keys together, or if the handler has settled or timed out.
   *
   * @param items Writes as the client takes them in `TransactItems`.
   */
  write(...items: readonly Item[]): void;
}

/** Collects the writes of a handler, which share the limit with `keys` keys. */
export class Collector<Item extends object> {
  readonly tx: DynamoDBTransaction<Item>;
  readonly #items: Item[] = [];
  readonly #most: number;
  #isOpen = true;
  #report: ((error: unknown) => void) | undefined;
  #refusal: WebhookError | undefined;

  constructor(keys: number) {
    this.#most = MOST_WRITES - keys;
    this.tx = { write: (...items) => this.#write(items) };
  }

  /** Ends the collection: every later write throws. */
  close(): void {
    this.#isOpen = false;
  }

  /**
   * Returns the collected writes. Throws if a write was refused, even if the handler caught that error.
   *
   * @param report Called with the error of the first later write.
   */
  collected(report?: (error: unknown) => void): readonly Item[] {
    this.close();
    this.#report = report;
    if (this.#refusal) throw this.#refusal;
    return this.#items;
  }

  #write(items: readonly Item[]): void {
    if (!this.#isOpen) {
      const error = handlerError(CLOSED);
      this.#report?.(error);
      this.#report = undefined;
      throw error;
    }
    if (this.#items.length + items.length > this.#most) throw this.#refuse(tooMany(this.#most));
    const copies = this.#copies(items);
    if (!copies.every(isWrite)) throw this.#refuse(NOT_A_WRITE);
    this.#items.push(...copies);
  }

  #copies(items: readonly Item[]): Item[] {
    try {
      return items.map(copyOf);
    } catch (cause) {
      throw this.#refuse(UNREADABLE, cause);
    }
  }

  #refuse(message: string, cause?: unknown): WebhookError {
    this.#refusal ??= handlerError(message, cause);
    return this.#refusal;
  }
}

function isWrite(item: unknown): boolean {
  if (!isObject(item)) return false;
  const given = KINDS.map((kind): unknown => Reflect.get(item, kind)).filter((each) => each !== undefined);
  return given.length === 1 && isObject(given[0]);
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/**
 * A copy, because a handler may change an object after writing it, for example to reuse the object for the next event.
 * Instances of classes, such as NumberValue, are not copied.
 */
function copyOf<Value>(value: Value): Value;
function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf);
  if (value instanceof Uint8Array) return new Uint8Array(value);
  if (value instanceof Set) return new Set([...value].map(copyOf));
  if (value instanceof Map) return new Map([...value].map(copyOf));
  if (!isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(copyOf));
}

/** Whether a value is an object literal or has no prototype. */
function isPlain(value: unknown): value is object {
  if (!isObject(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

const CLOSED =
  'tx.write was called after the handler had settled or timed out, so nothing is written. Await everything in the handler.';
const NOT_A_WRITE =
  'Every argument of tx.write must be an object with exactly one of Put, Update, Delete and ConditionCheck.';

const UNREADABLE = 'An argument of tx.write is circular or throws when it is read, so nothing was committed.';

function tooMany(most: number): string {
  return `DynamoDB takes ${MOST_WRITES} writes in a transaction, and ${MOST_WRITES - most} of them record keys: tx.write takes up to ${most}. Combine writes to one item, or write less for each event.`;
}
