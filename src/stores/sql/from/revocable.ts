import { WebhookError } from '../../../errors.js';
import { storeError } from '../../bounded-calls.js';

/**
 * A transaction that refuses every call after `close`, for clients that would run a late call on a connection that is
 * already reused.
 */
export function revocable<Tx extends object>(transaction: Tx) {
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
    // Only for plain promises: a client's own kind of promise may have more methods.
    return result?.constructor === Promise ? Promise.race([result, lost]) : result;
  }
  /** Wraps a callback, so that its nested transaction is revocable too. */
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
    /** @param to Called with the error of the first refused call. */
    close(to?: (error: unknown) => void) {
      isClosed = true;
      report ??= to;
    },
    /** Rejects the calls in progress, for clients that never settle them after closing a connection. */
    lose,
  };
}

/** Whether a function is a class, such as a TypeORM entity, which must stay the same. In ES5, its `length` is 0. */
function isClass(value: { readonly length: number }): boolean {
  const prototype = Reflect.getOwnPropertyDescriptor(value, 'prototype');
  return prototype !== undefined && (!prototype.writable || value.length === 0);
}

/** A rejected promise that does not end the process if it is never awaited. */
function refused(error: Error): Promise<never> {
  const refusal = Promise.reject(error);
  refusal.catch(() => {});
  return refusal;
}

const OVER =
  'context.tx can no longer be used: the handler has settled, or its time (handlerTimeoutMs) is over. Await every statement in the handler.';
