import { Aggregator } from 'mingo';
import type { AnyObject } from 'mingo/types';
import { MongoExpiredSessionError, MongoServerError } from 'mongodb';

/**
 * The calls of the MongoDB driver that the stores of examples/mongodb make, over documents in memory: a fake, because no
 * MongoDB server can be installed here. mingo evaluates the pipelines. Upserts race, transactions of two sessions conflict,
 * and a session whose transaction has ended writes without one, as with the driver. It has no replicas and no failures.
 */
export function fakeMongo() {
  const documents = new Map<string, Stored>();
  let commits = 0;

  function storedAt(path: string): Stored {
    const stored = documents.get(path) ?? { version: 0 };
    documents.set(path, stored);
    return stored;
  }

  /** The place of a document, for a write. */
  async function open(path: string, session?: Options['session']): Promise<Stored> {
    await turn();
    if (session?.hasEnded) throw new MongoExpiredSessionError();
    const stored = storedAt(path);
    const transaction = session?.transaction;
    if (transaction) {
      transaction.snapshot ??= commits;
      const isTaken = stored.writer !== undefined && stored.writer !== transaction;
      if (isTaken || stored.version > transaction.snapshot) throw conflict();
      stored.writer = transaction;
      transaction.touched.add(stored);
    } else {
      while (stored.writer) await turn();
    }
    return stored;
  }

  function put(stored: Stored, document: Document | undefined): void {
    if (stored.writer) {
      stored.writer.writes.set(stored, document);
      return;
    }
    stored.document = document;
    stored.version = ++commits;
  }

  const read = (stored: Stored) =>
    stored.writer?.writes.has(stored) ? stored.writer.writes.get(stored) : stored.document;

  const collection = (name: string) => ({
    async findOneAndUpdate({ _id }: { _id: string }, pipeline: AnyObject[], { session }: Options = {}) {
      const stored = await open(`${name}/${_id}`, session);
      const before = read(stored);
      // Between looking for the document and inserting it, another upsert may do so.
      if (!before) await turn();
      if (!before && read(stored)) throw new MongoServerError({ message: 'E11000 duplicate key error', code: 11_000 });
      const [after] = new Aggregator(pipeline).run<Document>([before ?? { _id }]);
      put(stored, after);
      await turn();
      return { ...after };
    },
    async insertOne(document: Document, { session }: Options = {}) {
      put(await open(`${name}/${document._id}`, session), document);
      await turn();
    },
    async deleteOne({ _id, ...fields }: { _id: string; [field: string]: unknown }) {
      const stored = await open(`${name}/${_id}`);
      const document = stored.document;
      const isMatch = Object.entries(fields).every(([field, value]) => document?.[field] === value);
      if (document && isMatch) put(stored, undefined);
      await turn();
    },
    async findOne({ _id }: { _id: string }) {
      await turn();
      return documents.get(`${name}/${_id}`)?.document ?? null;
    },
  });

  class FakeSession {
    hasEnded = false;
    transaction: FakeTransaction | undefined;

    /** As the driver: again after a conflict; returns if `work` has ended the transaction itself. */
    async withTransaction<Result>(work: () => Promise<Result>): Promise<Result> {
      for (;;) {
        this.transaction = { writes: new Map(), touched: new Set() };
        try {
          const result = await work();
          await this.#commit();
          return result;
        } catch (error) {
          await this.abortTransaction();
          if (!(error instanceof MongoServerError && error.hasErrorLabel('TransientTransactionError'))) throw error;
        }
      }
    }

    async abortTransaction(): Promise<void> {
      await turn();
      this.#end();
    }

    async endSession(): Promise<void> {
      if (this.transaction) await this.abortTransaction();
      this.hasEnded = true;
    }

    async #commit(): Promise<void> {
      await turn();
      for (const [stored, document] of this.transaction?.writes ?? []) {
        stored.document = document;
        stored.version = ++commits;
      }
      this.#end();
    }

    #end(): void {
      for (const stored of this.transaction?.touched ?? []) stored.writer = undefined;
      this.transaction = undefined;
    }
  }

  return { collection, db: () => ({ collection }), startSession: () => new FakeSession() };
}

type Document = AnyObject & { _id: string };

interface Stored {
  document?: Document | undefined;
  /** The commit that wrote it. */
  version: number;
  /** The open transaction that has written it. */
  writer?: FakeTransaction | undefined;
}

interface FakeTransaction {
  snapshot?: number;
  readonly writes: Map<Stored, Document | undefined>;
  readonly touched: Set<Stored>;
}

interface Options {
  readonly session?: { readonly hasEnded: boolean; readonly transaction: FakeTransaction | undefined } | undefined;
}

function conflict(): MongoServerError {
  return new MongoServerError({ message: 'WriteConflict', code: 112, errorLabels: ['TransientTransactionError'] });
}

/** An answer comes in a later turn. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
