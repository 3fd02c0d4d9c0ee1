import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { fetchHandler } from '../../src/adapters/fetch.js';
import { fetchRequest, now, SECRET } from '../matrix/deliveries.js';
import { fetchTarget } from '../matrix/targets.js';
import { matrix } from '../matrix.js';

matrix(fetchTarget, { large: false });

it('asks whatever has a waitUntil to keep a delivery going until it is done', async () => {
  const effects: string[] = [];
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const receive = fetchHandler({ secret: SECRET, now, onEvent: ({ id }) => finished.then(() => effects.push(id)) });
  const kept: unknown[] = [];
  const context = { kept, waitUntil: (promise: unknown) => context.kept.push(promise) };
  const request = fetchRequest();
  const answer = receive(request, { waitUntil: 'no function' }, null, context);
  expect(kept).toHaveLength(1);
  finish();
  await kept[0];
  expect(effects).toHaveLength(1);
  expect((await answer).status).toBe(200);

  // Nobody looks at what waitUntil gets: a rejection is for the caller alone.
  await expect(receive(request, context)).rejects.toThrow('already read');
  await expect(kept[1]).resolves.toMatchObject({ status: 500 });
  await expect(receive(Object.assign(request, { waitUntil: context.waitUntil }))).rejects.toThrow('already read');
  expect(kept).toHaveLength(2);
});

it('answers as usual where a waitUntil throws', async () => {
  const context = {
    waitUntil: () => {
      throw new Error('host');
    },
  };
  const receive = fetchHandler({ secret: SECRET, now, onEvent: () => {} });
  expect((await receive(fetchRequest(), context)).status).toBe(200);
  const read = fetchRequest();
  await read.text();
  await expect(receive(read, context)).rejects.toThrow('already read');
});

describe('the time of a handler', () => {
  /** Returns how many ms a handler gets where `navigator.userAgent` is `userAgent`. */
  async function handlerMs(userAgent: string | undefined, ...host: object[]) {
    vi.stubGlobal('navigator', userAgent === undefined ? undefined : { userAgent });
    onTestFinished(() => void vi.unstubAllGlobals());
    let ms = 0;
    const receive = fetchHandler({
      secret: SECRET,
      now,
      handlerTimeoutMs: 120_000,
      store: false,
      onEvent: (_event, { deadline }) => {
        ms = deadline - Date.now();
      },
    });
    expect((await receive(fetchRequest(), ...host)).status).toBe(200);
    return Math.round(ms / 1000);
  }
  const context = { waitUntil: () => {} };

  it.each<[string, string | undefined, object[], number]>([
    ['within the 30 s of Cloudflare where it gets a context there', 'Cloudflare-Workers', [{}, context], 30],
    ['handlerTimeoutMs on Cloudflare without a context, which grants nothing', 'Cloudflare-Workers', [{}], 120],
    ['handlerTimeoutMs in Node, where Nitro has a waitUntil and no limit', 'Node.js/24', [context], 120],
    ['handlerTimeoutMs where there is no navigator', undefined, [context], 120],
  ])('is %s', async (_where, userAgent, host, seconds) => {
    const given = await handlerMs(userAgent, ...host);
    expect([seconds - 1, seconds]).toContain(given);
  });
});
