import { describe, expect, test } from 'vitest';
import { inProcess, jsonLines, library, scratch, ways } from './tool.js';

/** A module with a receiver whose store has one record, under a key of the source `one`. */
async function moduleOf(store = '{ ...memoryStore(), records: { look, find } }') {
  const file = await scratch();
  return file(
    'webhooks.mjs',
    `import { createReceiver, memoryStore } from '${library}index.js';
     const record = { state: 'failed', source: 'one', eventId: '12', attempts: 2, receivedAt: 0, message: 'No.\\u001b[31m' };
     const found = new Map([['one::event.emitted:12', record]]);
     const look = async ([key]) => (found.has(key) ? found : new Map());
     const find = async (id) => (id === '12' ? found : new Map());
     export const receiver = createReceiver({ secret: 'a-secret', store: ${store}, onEvent() {} });`,
  );
}

describe.each(ways)('status ($way)', ({ tool }) => {
  test('prints the record of an event id and of a key', async () => {
    const module = await moduleOf();
    for (const id of ['12', 'one::event.emitted:12']) {
      const { code, stdout } = await tool(['status', id, '--receiver', module]);
      expect(code).toBe(0);
      expect(stdout).toMatch(/^idempotencyKey {2}one::event\.emitted:12\nstate +failed\n/);
      expect(stdout).toContain('receivedAt      1970-01-01T00:00:00.000Z\n');
      expect(stdout).toContain('No.\\e[31m');
    }
    const { stdout } = await tool(['status', '12', '--json', '--receiver', module]);
    expect(jsonLines(stdout)).toMatchObject([
      { idempotencyKey: 'one::event.emitted:12', state: 'failed', attempts: 2 },
    ]);
  });
});

describe('status', () => {
  test('tells that there is no record', async () => {
    const { code, stdout, stderr } = await inProcess(['status', '13', '--receiver', await moduleOf()]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('No record');
  });

  test('refuses a store without records', async () => {
    const module = await moduleOf('{ ...memoryStore(), records: undefined }');
    const { code, stderr } = await inProcess(['status', '12', '--receiver', module]);
    expect(code).not.toBe(0);
    expect(stderr).toContain('needs a store that keeps records');
  });
});
