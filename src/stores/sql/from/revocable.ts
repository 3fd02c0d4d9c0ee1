import { WebhookError } from '../../../errors.js';
import { storeError } from '../../bounded-calls.js';

/** A transaction that refuses every call after `close`. */
export interface Revocable<Tx> {
  readonly tx: Tx;
  /** @param report Gets the error of the first call that is refused. */
  close(report?: (error: unknown) => void): void;
  /** Settles the calls that are under way, for clients that forget them when they close a connection. */
  lose(): void;
}

/** For clients that would run what comes late on a connection that others have. */
export function revocable<Tx extends object>(transaction: Tx): Revocable<Tx> {
  let isClosed = false;
  let report: ((error: unknown) => void) | undefined;
  let lose: () => void = () => {};
  const lost = new Promise<never>((_, reject) => {
    lose = () => reject(storeError(OVER));
  });
  lost.catch(() => {});
  function call(fn: (...args: never[]) => unknown, self: object, args: readonly unknown[]): unknown {
    if (isClosed) {
      const error = new WebhookError('ERR_WEBHOOK_HANDLER', OVER);
      report?.(error);
      report = undefined;
      return refused(error);
    }
    const result: unknown = Reflect.apply(fn, self, args.map(within));
    // Not of a kind of promise that can do more.
    return result?.constructor === Promise ? Promise.race([result, lost]) : result;
  }
  /** Callbacks get the transaction within the transaction. */
  const within = (argument: unknown) =>
    typeof argument !== 'function' || isClass(argument)
      ? argument
      : function (this: unknown, ...args: unknown[]) {
          return Reflect.apply(
            argument,
            this,
            args.map((each) => (isTransaction(each) ? guarded(each) : each)),
          );
        };
  const isTransaction = (value: unknown): value is object =>
    value !== null &&
    Object(value) === value &&
    Reflect.getPrototypeOf(value as object) === Reflect.getPrototypeOf(transaction);
  const guarded = <T extends object>(target: T): T =>
    new Proxy(target, {
      apply: (fn, _self, args) => call(fn as never, target, args),
      get(_target, name) {
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' && name !== 'constructor'
          ? (...args: unknown[]) => call(value as never, target, args)
          : value;
      },
    });
  return {
    tx: guarded(transaction),
    close(to) {
      isClosed = true;
      report ??= to;
    },
    lose,
  };
}

/** Such as an entity of TypeORM, which is known by its identity. In ES5 it is a function, whose `length` tells it from a callback. */
function isClass(value: { readonly length: number }): boolean {
  const prototype = Reflect.getOwnPropertyDescriptor(value, 'prototype');
  return prototype !== undefined && (!prototype.writable || value.length === 0);
}

/** If nobody waits for the statement, that does not end the process. */
function refused(error: Error): Promise<never> {
  const refusal = Promise.reject(error);
  refusal.catch(() => {});
  return refusal;
}

const OVER =
  'context.tx can no longer be used: the handler has settled, or its time (handlerTimeoutMs) is over. Await every statement in the handler.';
