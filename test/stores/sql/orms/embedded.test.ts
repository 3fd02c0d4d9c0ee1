import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fetchHandler } from '../../../../src/adapters/fetch.js';
import type { Receiver, WebhookEvent } from '../../../../src/index.js';
import { createTestDelivery, sampleEventEmitted } from '../../../../src/testing/index.js';
import { hasOrms, importOrms, needsOrms } from './installed.js';

type Then = (event: WebhookEvent, write: (id: string) => unknown) => void | Promise<void>;
type Open = (file: string, then: Then) => Promise<Opened>;
interface Opened {
  readonly receiver: Receiver;
  count(id: string): Promise<number>;
  close(): void;
}

const openers = hasOrms ? await importOrms<Record<string, Open>>('embedded') : {};

async function open(name: string, then: Then = () => {}) {
  const directory = mkdtempSync(join(tmpdir(), 'drizzle-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const opened = await (openers[name] as Open)(join(directory, 'app.db'), then);
  onTestFinished(() => opened.close());
  const handle = fetchHandler(opened.receiver);
  const send = async (...events: object[]) => {
    const response = await handle(createTestDelivery(events, { secret: 'whsec-drizzle' }).request());
    return response.status;
  };
  return { ...opened, send };
}

describe.skipIf(!hasOrms)(`fromDrizzle over databases within the process${needsOrms}`, { timeout: 20_000 }, () => {
  describe.each(['openSynchronous', 'openPGlite'])('%s', (name) => {
    it('commits the writes of a handler, nested ones too, together with the key', async () => {
      const { send, count } = await open(name);
      const [first, second] = [sampleEventEmitted(), sampleEventEmitted()];
      expect(await send(first, second)).toBe(200);
      expect(await send(first, second)).toBe(200);
      for (const { id } of [first, second]) expect([await count(id), await count(`${id} nested`)]).toEqual([1, 1]);
    });

    it('handles ten deliveries at once, once each', async () => {
      const { send, count } = await open(name);
      const events = Array.from({ length: 10 }, () => sampleEventEmitted());
      expect(await Promise.all(events.map((event) => send(event)))).toEqual(events.map(() => 200));
      for (const { id } of events) expect(await count(id)).toBe(1);
    });
  });

  it('refuses an async handler over a synchronous driver, and rolls back', async () => {
    const { send, count } = await open('openSynchronous', async (event, write) => {
      await Promise.resolve();
      write(`${event.id} late`);
    });
    const event = sampleEventEmitted();
    expect(await send(event)).toBe(500);
    expect(await count(event.id)).toBe(0);
  });
});
