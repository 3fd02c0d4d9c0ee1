import { fork } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { transform } from 'esbuild';
import { Pool } from 'pg';
import { afterAll, describe, expect, test } from 'vitest';
import { multibaasHeaders, serviceHeaders } from '../../src/signature/headers.js';
import { fromPg, sqlStore } from '../../src/stores/sql/index.js';
import { createTestDelivery, sampleEventEmitted } from '../../src/testing/index.js';
import { useConsumer } from '../package/consumer.js';
import { hasPostgres, startPostgres } from '../servers/postgres.js';
import { hasRedis, startRedis } from '../servers/redis.js';
import type { TestServer } from '../servers/server.js';
import { startRestServer } from '../stores/redis/rest-server.js';
import { type Program, programs } from './programs.js';

// Every program of README.md and docs/, by a project that has installed the package (test/docs/programs.ts says which kinds
// there are).

const SECRET = 'whsec-readme';
const fixture = (name: string) => fileURLToPath(new URL(`../package/fixtures/${name}`, import.meta.url));

/** A genuine delivery and a forged one, with the headers that the program expects. */
function deliveries(text: string) {
  const headers = text.includes('multibaasHeaders') ? multibaasHeaders : serviceHeaders;
  const genuine = createTestDelivery([sampleEventEmitted()], { secret: SECRET, headers });
  return [genuine, { ...genuine, rawBody: genuine.rawBody.replace('Transfer', 'Transfes') }];
}

/** Starts a program as a process of its own. */
function start(file: string, ...args: string[]) {
  const child = fork(file, args, {
    execArgv: ['--require', fixture('tell-port.cjs')],
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      WEBHOOK_SECRET: SECRET,
      DATABASE_URL: postgres?.url,
      REDIS_URL: redis?.url,
      UPSTASH_REDIS_REST_URL: upstash?.url,
      UPSTASH_REDIS_REST_TOKEN: upstash?.token,
    },
    cwd: consumer.root,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => output.push(String(chunk)));
  const closed = once(child, 'close');
  return {
    /** Resolves when the program has ended without an error. */
    async end(): Promise<void> {
      const [code] = await closed;
      if (code !== 0) throw new Error(`The program ended with ${code}: ${output.join('')}`);
    },
    /** What the program tells first: its port, or what call-handler.mjs found. */
    async told(): Promise<unknown> {
      const ended = closed.then(() => [new Error(`The program ended: ${output.join('')}`)]);
      const [message] = await Promise.race([once(child, 'message'), ended]);
      if (message instanceof Error) throw message;
      return message;
    },
    /** Resolves when the program has printed a text. */
    async prints(text: string): Promise<void> {
      const ended = closed.then(() => Promise.reject(new Error(`The program ended: ${output.join('')}`)));
      while (!output.join('').includes(text)) await Promise.race([once(child.stdout ?? child, 'data'), ended]);
    },
    async stop(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<unknown> {
      child.kill(signal);
      return (await closed)[0];
    },
  };
}

let postgres: TestServer | undefined;
let redis: TestServer | undefined;
let upstash: Awaited<ReturnType<typeof startRestServer>> | undefined;

const consumer = useConsumer(async ({ write }) => {
  if (hasPostgres) postgres = await startPostgres();
  if (postgres) await migrate(postgres.url);
  if (hasRedis) redis = await startRedis();
  if (redis) upstash = await startRestServer(redis.port);
  for (const { path, text } of programs) await write(path, text);
});

/** What a deployment does before it starts a handler, which has no place for it. */
async function migrate(connectionString: string): Promise<void> {
  const pool = new Pool({ connectionString, connectionTimeoutMillis: 5000 });
  await sqlStore({ db: fromPg(pool) }).migrate();
  await pool.query('CREATE TABLE amounts (event_id text, "from" text, "to" text, value numeric(78, 0))');
  await pool.end();
}

afterAll(async () => {
  await postgres?.stop();
  await upstash?.stop();
  await redis?.stop();
});

test('has programs of every kind', () => {
  const kinds = new Set(['handler', 'server', 'worker', 'program']);
  expect(new Set(programs.map(({ kind }) => kind))).toEqual(kinds);
});

const TITLES = {
  handler: 'answers a genuine delivery 200 and a forged one 403 to its host',
  server: 'answers a genuine delivery and refuses a forged one',
  worker: 'handles what its receiver has taken',
  program: 'runs to its end',
};

/** Writes a program into the consumer, as JavaScript. */
async function written({ name, path, text }: Program): Promise<string> {
  const format = name.endsWith('.cjs') ? 'cjs' : 'esm';
  const { code } = await transform(text, { loader: 'ts', format, target: 'node20', platform: 'node' });
  return consumer.write(`${path}.${format === 'esm' ? 'mjs' : 'cjs'}`, code);
}

describe('the programs of the documentation', () => {
  for (const block of programs) {
    const { page, name, text, kind, skip } = block;
    describe.skipIf(skip !== '')(`${page}: ${name}${skip}`, () => {
      test(TITLES[kind], { timeout: 60_000 }, async () => {
        const file = await written(block);
        if (kind === 'program') {
          await start(file).end();
          return;
        }
        const sent = deliveries(text);
        const started: ReturnType<typeof start>[] = [];
        const run = (...parameters: Parameters<typeof start>) => {
          const program = start(...parameters);
          started.push(program);
          return program;
        };
        try {
          if (kind === 'handler') {
            expect(await run(fixture('call-handler.mjs'), file, JSON.stringify(sent)).told()).toEqual([200, 403]);
            return;
          }
          const receiver =
            programs.find((each) => each.page === page && each.name === name.replace('-worker', '-receiver')) ?? block;
          const port = await run(await written(receiver)).told();
          // Without a node, no block is final.
          expect(await post(Number(port), sent)).toEqual([text.includes("wait: 'redelivery'") ? 503 : 200, 403]);
          const [{ id }] = JSON.parse(sent[0]?.rawBody ?? '');
          if (kind === 'worker') await run(file).prints(`handled ${id}`);
        } finally {
          for (const program of started) await program.stop();
        }
      });

      if (!text.includes("'SIGTERM'")) return;
      test('finishes on SIGTERM what is under way, refuses the rest for now, and exits', {
        timeout: 20_000,
      }, async () => {
        const program = start(await written(block));
        try {
          const port = Number(await program.told());
          const delivery = createTestDelivery([sampleEventEmitted()], { secret: SECRET });
          const slow = await beginDelivery(port, delivery);
          // A stranger whose request never ends must not keep the process alive.
          const stranger = connect(port, 'localhost').on('error', () => {});
          await once(stranger, 'connect');
          stranger.write('POST /webhooks HTTP/1.1\r\n');
          const exit = program.stop('SIGTERM');
          while ((await fetch(`http://localhost:${port}/readyz`)).status === 200);
          expect((await fetch(`http://localhost:${port}/livez`)).status).toBe(200);
          expect(await post(port, deliveries(text).slice(0, 1))).toEqual([503]);
          expect(await slow.finish()).toBe(200);
          expect(await exit).toBe(0);
        } finally {
          await program.stop();
        }
      });
    });
  }
});

describe('the page about a handler by hand', () => {
  const [before, after] = programs.filter(({ page }) => page.endsWith('from-a-handler-by-hand.md'));
  const event = (id: string) => createTestDelivery([sampleEventEmitted({ id })], { secret: SECRET });

  test.skipIf(before?.skip !== '')(
    'has one effect for each event while both handlers run',
    {
      timeout: 60_000,
    },
    async () => {
      const [old, replica] = [start(await written(before as Program)), start(await written(after as Program))];
      const db = new Pool({ connectionString: postgres?.url, connectionTimeoutMillis: 5000 });
      try {
        const [first, second] = [Number(await old.told()), Number(await replica.told())];
        await db.query('TRUNCATE orders');
        for (const [one, other] of [
          [first, second],
          [second, first],
        ] as const) {
          const delivery = event(`in-place-${one}`);
          expect(await post(one, [delivery])).toEqual([200]);
          expect(await post(other, [delivery, delivery])).toEqual([200, 200]);
        }
        const together = event('in-place-together');
        const statuses = await Promise.all([first, second, second].map((port) => post(port, [together])));
        expect(statuses.flat()).toContain(200);
        const { rows } = await db.query('SELECT event_id FROM orders ORDER BY event_id');
        expect(rows.map(({ event_id }) => event_id)).toEqual(
          [`in-place-${first}`, `in-place-${second}`, 'in-place-together'].sort(),
        );
      } finally {
        await Promise.all([old.stop(), replica.stop(), db.end()]);
      }
    },
  );
});

async function post(port: number, sent: ReturnType<typeof deliveries>): Promise<number[]> {
  const statuses: number[] = [];
  for (const delivery of sent) {
    const url = `http://localhost:${port}/webhooks`;
    const { status } = await fetch(url, { method: 'POST', headers: delivery.headers, body: delivery.rawBody });
    statuses.push(status);
  }
  return statuses;
}

/** Sends a delivery up to its body, which it has when the program has begun to wait for that. */
async function beginDelivery(
  port: number,
  { rawBody: body, headers }: { rawBody: string; headers: Record<string, string> },
) {
  const options = { method: 'POST', headers: { ...headers, Expect: '100-continue' } };
  const sending = request(`http://localhost:${port}/webhooks`, options);
  sending.flushHeaders();
  await once(sending, 'continue');
  return {
    async finish(): Promise<number | undefined> {
      sending.end(body);
      const [response] = await once(sending, 'response');
      return response.resume().statusCode;
    },
  };
}
