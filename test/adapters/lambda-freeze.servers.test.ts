import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createReceiver } from '../../src/index.js';
import { redisStore } from '../../src/stores/redis/index.js';
import { eventually, unique } from '../contracts/store-helpers.js';
import { event, secret, signed } from '../helpers.js';
import { hasRedis, needsRedis, startRedis } from '../servers/redis.js';
import { connectIoRedis } from '../stores/redis/clients.js';

const leaseMs = 2500;
const grantedMs = 1500;
const program = fileURLToPath(new URL('lambda-child.mjs', import.meta.url));

interface Answer {
  readonly statusCode: number;
  readonly tookMs: number;
  readonly reported: readonly string[];
}

/** A Lambda function, and a replica beside it that is not frozen. */
async function start() {
  const server = await startRedis();
  onTestFinished(() => server.stop());
  const client = await connectIoRedis(server.url);
  const child = spawn(process.execPath, [program, server.url, String(leaseMs)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout });
  await once(lines, 'line');

  const replica = createReceiver({
    secret,
    toleranceSeconds: false,
    store: redisStore({ client, leaseMs }),
    onEvent: ({ id }) => client.incr(`effects:${id}`),
  });

  return {
    /** Thaws the function for one delivery; it is frozen again after its answer. */
    async invoke(...ids: string[]): Promise<Answer> {
      const { rawBody, signature, timestamp } = signed(ids.map((id) => event(id)));
      const headers = { 'X-Service-Signature': signature, 'X-Service-Timestamp': timestamp };
      const request = {
        requestContext: { http: { method: 'POST' } },
        headers,
        body: String(rawBody),
      };
      child.stdin.write(`${JSON.stringify({ event: request, grantedMs })}\n`);
      const answered = once(lines, 'line');
      child.kill('SIGCONT');
      return JSON.parse(String(await answered));
    },
    deliver: async (id: string) => (await replica.handle(signed([event(id)]))).status,
    effects: async (id: string) => Number(await client.get(`effects:${id}`)),
    ownerOf: (id: string) => client.get(`webhook:event.emitted:${id}`),
  };
}

/** Waits until the replica has taken the event over. */
async function takenOver({ deliver }: Awaited<ReturnType<typeof start>>, id: string): Promise<void> {
  await eventually(async () => expect(await deliver(id)).toBe(200), 2 * leaseMs);
}

describe.skipIf(!hasRedis || process.platform === 'win32')(
  `a Lambda function that is frozen between invocations${needsRedis}`,
  () => {
    it('answers before its time is over, and begins nothing after it', async () => {
      const lambda = await start();
      const [late, next] = [`late-${unique()}`, unique()];
      const answer = await lambda.invoke(late, next);
      expect(answer).toMatchObject({ statusCode: 500 });
      expect(answer.tookMs).toBeLessThan(grantedMs);
      expect(answer.reported.map((line) => line.split(':')[0])).toEqual([
        'ERR_WEBHOOK_HANDLER_TIMEOUT',
        'ERR_WEBHOOK_OUT_OF_TIME',
      ]);
      expect(await lambda.deliver(late)).toBe(503);
      expect(await lambda.deliver(next)).toBe(200);
    });

    it('has no effect after another replica took its event over, if its handler checks the time', async () => {
      const lambda = await start();
      const late = `late-${unique()}`;
      expect((await lambda.invoke(late)).statusCode).toBe(500);
      await takenOver(lambda, late);
      const owner = await lambda.ownerOf(late);
      // The timers of the first invocation fire during this one.
      expect((await lambda.invoke(`late-${unique()}`)).statusCode).toBe(500);
      expect(await lambda.effects(late)).toBe(1);
      expect(await lambda.ownerOf(late)).toBe(owner);
      expect(await lambda.deliver(late)).toBe(200);
      expect(await lambda.effects(late)).toBe(1);
    });

    it('does not record over the replica that took its event over, and reports it, if its handler does not', async () => {
      const lambda = await start();
      const late = `late-careless-${unique()}`;
      expect((await lambda.invoke(late)).statusCode).toBe(500);
      await takenOver(lambda, late);
      const owner = await lambda.ownerOf(late);
      const { reported } = await lambda.invoke(`late-${unique()}`);
      expect(reported).toContainEqual(
        expect.stringMatching(/^ERR_WEBHOOK_STORE: .*Another run has taken over the key/),
      );
      expect(await lambda.ownerOf(late)).toBe(owner);
    });
  },
);
