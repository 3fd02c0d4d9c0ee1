import { type PgClientLike, type PgPoolLike, readPg, storeError } from './client.js';
import { inline } from './sql.js';
import { overError, type Session } from './transaction.js';

/** Opens sessions on connections of a pg Pool. */
export function pgSessions<Client extends PgClientLike>(pool: PgPoolLike<Client>): () => Promise<Session<Client>> {
  return async () => {
    const client = await connected(pool);
    let begun = false;
    let over = false;
    let given = false;

    function giveBack(destroy: boolean): void {
      over = true;
      if (given) return;
      given = true;
      client.release(destroy);
      client.removeListener('error', ignore);
    }

    async function end(text: string): Promise<void> {
      // What was given back is another's by now.
      if (given) throw overError();
      over = true;
      await client.query(text);
      giveBack(false);
    }

    return {
      tx: guarded(client, () => over),
      async begin(statement) {
        begun = true;
        return readPg(await client.query(`BEGIN; ${inline(statement)}`));
      },
      query: async (statement) => readPg(await client.query(inline(statement))),
      commit: (check) => end(`${inline(check)}; COMMIT`),
      rollback: (afterwards) => end(afterwards ? `ROLLBACK; ${inline(afterwards)}` : 'ROLLBACK'),
      abandon: () => giveBack(begun),
    };
  };
}

/**
 * A connection of the pool that is listened to. One that breaks says so to its listeners as well as to who waits for an
 * answer, and with no listener it ends the process. It may break in the very turn in which the pool gives it out, before
 * a promise is heard of.
 */
function connected<Client extends PgClientLike>(pool: PgPoolLike<Client>): Promise<Client> {
  return new Promise((resolve, reject) => {
    void pool.connect((error, client) => {
      client?.on('error', ignore);
      if (client) resolve(client);
      else reject(error);
    });
  });
}

/** The connection for a handler, which works until it is over and cannot be given back twice. */
function guarded<Client extends PgClientLike>(client: Client, isOver: () => boolean): Client {
  return new Proxy(client, {
    get(target, name, receiver) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function' || name === 'constructor') return value;
      return (...args: unknown[]) => {
        if (isOver()) return refuse(args.at(-1));
        if (name === 'release' || name === 'end') {
          throw storeError(`The store releases the connection itself. Remove context.tx.${name}().`);
        }
        const result: unknown = Reflect.apply(value, target, args);
        return result === target ? receiver : result;
      };
    },
  });
}

/** As a client that was ended does: what is thrown into a callback that nobody waits for would end the process. */
function refuse(callback: unknown): Promise<never> | undefined {
  if (typeof callback !== 'function') return Promise.reject(overError());
  queueMicrotask(() => callback(overError()));
  return undefined;
}

function ignore(): void {}
