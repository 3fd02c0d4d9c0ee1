import type { Failed, Watch } from '../database.js';
import { isConflict } from '../dialect.js';
import { guarded, overError } from './pooled.js';

/**
 * The connection of a transaction for its handler, and what the handler does with it. Sends one statement at a time: after a
 * deadlock the server has rolled back, and would commit each statement that follows by itself.
 */
export function watched<Connection extends object>(connection: Connection, isGiven: () => boolean) {
  let isClosed = false;
  let beforeOther: (() => unknown) | undefined;
  let failed: Failed | undefined;
  let deadlock: unknown;
  let pending = 0;
  let last: Promise<unknown> = Promise.resolve();

  /** Sends a statement when those before it have been answered. */
  function inTurn<T>(send: () => Promise<T>): Promise<T> {
    const result = pending++ === 0 ? send() : last.then(send);
    const settle = () => void pending--;
    last = result.then(settle, settle);
    return result;
  }

  function call(name: PropertyKey, send: () => unknown): unknown {
    if (!STATEMENTS.has(name)) return send();
    const sent = inTurn(async () => {
      if (deadlock !== undefined) throw overError();
      return send();
    });
    sent.then(
      () => {
        failed &&= 'and continued';
      },
      (error: unknown) => {
        failed ??= 'at last';
        if (!isConflict(error)) return;
        deadlock ??= error;
        isClosed = true;
      },
    );
    return sent;
  }

  function onUse(name: PropertyKey, argument: unknown): void {
    if (isPlain(name, argument)) return;
    beforeOther?.();
    beforeOther = undefined;
  }

  const watch: Watch = {
    beforeOther(work) {
      beforeOther = work;
    },
    async hasFailed() {
      await last;
      if (deadlock !== undefined) throw deadlock;
      return failed;
    },
  };
  return {
    tx: guarded(connection, () => isClosed || isGiven(), onUse, call),
    watch,
    // `hasFailed` rejects after one.
    hasConflict: () => false,
    inTurn,
    close() {
      isClosed = true;
    },
  };
}

const STATEMENTS = new Set<PropertyKey>([
  'query',
  'execute',
  'prepare',
  'beginTransaction',
  'commit',
  'rollback',
  'changeUser',
  'ping',
]);
const PLAIN = /^\s*(SELECT|INSERT|UPDATE|DELETE|REPLACE|WITH|VALUES)\b/i;
const HARMLESS = new Set<PropertyKey>(['format', 'escape', 'escapeId', 'config', 'threadId']);

/**
 * Whether a handler that uses the connection so can neither end its transaction nor change its session, unless a stored
 * function or a trigger sets something: these cannot commit. `;` may separate statements.
 */
function isPlain(name: PropertyKey, argument: unknown): boolean {
  if (name !== 'query' && name !== 'execute') return HARMLESS.has(name);
  const text: unknown = typeof argument === 'string' ? argument : Object(argument).sql;
  return typeof text === 'string' && PLAIN.test(text) && !text.includes(';');
}
