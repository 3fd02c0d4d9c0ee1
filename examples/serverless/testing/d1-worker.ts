// A Worker with a store on D1, for the tests: its requests call the store, run a case of the contract, or make D1 fail.
import { isWebhookError } from 'event-webhook-receiver';
import {
  type D1DatabaseLike,
  fromD1,
  type SqlLeaseStore,
  type SqlStoreOptions,
  sqlStore,
} from 'event-webhook-receiver/stores/sql';
import { storeContract } from 'event-webhooks/store-contract';

interface Env {
  readonly DB: D1DatabaseLike;
}

interface Context {
  waitUntil(work: Promise<unknown>): void;
}

/** What a request asks for. */
export interface Ask {
  readonly keys: readonly string[];
  /** How long the handler takes after its effect, in ms. */
  readonly holdMs?: number;
  /** Whether to pass the work to `waitUntil`. */
  readonly waits?: boolean;
  readonly settings?: Omit<SqlStoreOptions<unknown>, 'db' | 'transactional'>;
}

/** What D1 does from now on with statements that contain `text`: fails, never answers, or loses its answer. */
export interface Fault {
  readonly text: string;
  readonly way: 'fails' | 'hangs' | 'loses';
}

let fault: Fault | undefined;
function setFault(next?: Fault): void {
  fault = next;
}

/** Statements that were sent. */
let statements = 0;

/** D1 with its fault. */
function faulty(database: D1DatabaseLike): D1DatabaseLike {
  const wrap = (text: string, statement: ReturnType<D1DatabaseLike['prepare']>): typeof statement => ({
    bind: (...values) => wrap(text, statement.bind(...values)),
    async all() {
      statements++;
      const way = fault && text.includes(fault.text) ? fault.way : undefined;
      if (way === 'hangs') return new Promise<never>(() => {});
      const answer = way === 'fails' ? undefined : await statement.all();
      if (answer === undefined || way === 'loses') throw new Error('D1_ERROR: Network connection lost.');
      return answer;
    },
  });
  return { prepare: (text) => wrap(text, database.prepare(text)), batch: database.batch, exec: database.exec };
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** One store for each group of settings, as long as the isolate lives. */
const stores = new Map<string, SqlLeaseStore>();

function storeOf(env: Env, settings: Ask['settings'] = {}): SqlLeaseStore {
  const name = JSON.stringify(settings);
  const store = stores.get(name) ?? sqlStore({ db: fromD1(faulty(env.DB)), ...settings });
  stores.set(name, store);
  return store;
}

const DELIVERY = { from: 'free', to: 'done' } as const;

/** Calls the store as a receiver does. */
async function onceWith(store: SqlLeaseStore, keys: readonly string[], run: (fresh: readonly string[]) => unknown) {
  const owner = crypto.randomUUID();
  const answers = await store.claim(keys, owner, DELIVERY);
  const fresh = keys.filter((key) => typeof answers.get(key) === 'object');
  if (fresh.length > 0) {
    await run(fresh);
    const recorded = await store.record(fresh, owner, DELIVERY);
    if (!fresh.every((key) => recorded.get(key))) throw new Error('Another run has taken over.');
  }
  return keys.map((key) => (fresh.includes(key) ? 'handled' : answers.get(key)));
}

/** The word for each key, or the error's code and message. */
async function take({ keys, holdMs = 0, settings }: Ask, env: Env): Promise<unknown> {
  const effect = env.DB.prepare('INSERT INTO effects SELECT value FROM json_each(?1)');
  const run = async (fresh: readonly string[]) => {
    // D1 takes up to 2 MB in a parameter.
    for (let at = 0; at < fresh.length; at += 5000) {
      await effect.bind(JSON.stringify(fresh.slice(at, at + 5000))).all();
    }
    if (holdMs > 0) await sleep(holdMs);
  };
  try {
    return await onceWith(storeOf(env, settings), keys, run);
  } catch (error) {
    return { code: isWebhookError(error) ? error.code : undefined, message: (error as Error).message };
  }
}

function casesOf(env: Env): Map<string, () => Promise<void>> {
  const cases = new Map<string, () => Promise<void>>();
  const outage = { begin: () => setFault({ text: '', way: 'fails' }), end: () => setFault() };
  storeContract((settings) => sqlStore({ db: fromD1(faulty(env.DB)), ...settings }), {
    test: (title, run) => void cases.set(title, run),
    outage,
  });
  return cases;
}

function runCase(title: string, env: Env): Promise<void> {
  const run = casesOf(env).get(title);
  if (run === undefined) throw new Error(`There is no case "${title}".`);
  return run();
}

/** Runs a statement for a program in Node. */
async function query({ text, values }: { text: string; values: readonly string[] }, env: Env) {
  const statement = env.DB.prepare(text);
  return (await (values.length > 0 ? statement.bind(...values) : statement).all()).results;
}

/** Sets both clocks of the isolate forward. */
function shiftClocks(ms: number): void {
  for (const clock of [Date, performance]) {
    const now = clock.now.bind(clock);
    Object.defineProperty(clock, 'now', { value: () => now() + ms, configurable: true });
  }
}

const ROUTES: Record<string, (body: never, env: Env) => unknown> = {
  '/migrate': (settings: Ask['settings'], env) => storeOf(env, settings).migrate(),
  '/sweep': (settings: Ask['settings'], env) => storeOf(env, settings).sweep(),
  '/take': take,
  '/fault': (next: Fault | null) => setFault(next ?? undefined),
  '/clock': shiftClocks,
  '/statements': () => statements,
  '/case': runCase,
  '/query': query,
};

export default {
  async fetch(request: Request, env: Env, context: Context): Promise<Response> {
    const body = (await request.json()) as never;
    const work = (async () => ROUTES[new URL(request.url).pathname]?.(body, env))();
    if ((body as Partial<Ask> | null)?.waits) context.waitUntil(work.catch(() => {}));
    return work.then(
      (answer) => Response.json(answer ?? null),
      (error: unknown) => new Response((error as Error).stack, { status: 500 }),
    );
  },
};
