import { describe, expect, test } from 'vitest';
import { onTerminal } from './on-terminal.js';
import { inProcess, jsonLines, library, scratch, ways } from './tool.js';

/** A module with a receiver that has dead letters of the ids, in a file of SQLite, and whose handler fails for `bad`. */
async function moduleOf(ids: readonly string[], { bad = '', deadLetters = '{}', store = 'memoryStore()' } = {}) {
  const file = await scratch();
  return file(
    'webhooks.mjs',
    `import { createReceiver, memoryStore, NonRetryableError } from '${library}index.js';
     import { createTestDelivery, sampleEventEmitted } from '${library}testing/index.js';
     const secret = 'the-secret-of-the-module';
     let fails = true;
     export const receiver = createReceiver({
       secret, store: ${store}, deadLetters: ${deadLetters},
       onEvent({ id }) {
         if (fails || id === '${bad}') throw new NonRetryableError('No account for ' + id + '.\\u001b[31m');
       },
     });
     const events = ${JSON.stringify(ids)}.map((id) => sampleEventEmitted({ id }));
     if (events.length > 0) await receiver.handle(createTestDelivery(events, { secret }));
     fails = false;`,
  );
}

describe.each(ways)('dead-letters ($way)', ({ tool }) => {
  test('list prints a table, and tells whether there are letters', async () => {
    const some = await tool(['dead-letters', 'list', '--receiver', await moduleOf(['a', 'b'])]);
    expect({ code: some.code, stderr: some.stderr }).toEqual({ code: 1, stderr: '' });
    const [head, first, ...more] = some.stdout.trimEnd().split('\n');
    expect(head).toMatch(/^KEY +SOURCE +ATTEMPTS +LAST FAILURE +ERROR$/);
    expect(first).toMatch(/^event\.emitted:a +1 +\d{4}-\S+Z +ERR_WEBHOOK_NON_RETRYABLE: No account for a\.\\e\[31m$/);
    expect(more).toHaveLength(1);
    const none = await tool(['dead-letters', 'list', '--receiver', await moduleOf([])]);
    expect(none).toMatchObject({ code: 0, stdout: 'No dead letters.\n' });
  });

  test('list prints whole letters as JSON, and says when there are more', async () => {
    const args = ['dead-letters', 'list', '--json', '--limit', '1', '--receiver', await moduleOf(['a', 'b'])];
    const { code, stdout, stderr } = await tool(args);
    expect(code).toBe(1);
    expect(jsonLines(stdout)).toMatchObject([{ idempotencyKey: 'event.emitted:a', attempts: 1, event: { id: 'a' } }]);
    expect(stderr).toContain('more than 1');
  });
});

describe('dead-letters', () => {
  test('retry runs the handler, and tells what failed again', async () => {
    const module = await moduleOf(['a', 'b', 'c'], { bad: 'b' });
    const { code, stdout } = await inProcess(['dead-letters', 'retry', '--all', '--yes', '--receiver', module]);
    expect(code).toBe(1);
    expect(stdout.split('\n')).toEqual([
      'handled   event.emitted:a',
      'failed    event.emitted:b  No account for b.\\e[31m',
      'handled   event.emitted:c',
      '2 handled, 1 failed again, 0 skipped.',
      '',
    ]);
    const args = ['dead-letters', 'retry', 'event.emitted:a', '--json'];
    const one = await inProcess([...args, '--receiver', await moduleOf(['a'])]);
    expect(one.code).toBe(0);
    expect(jsonLines(one.stdout)).toEqual([
      { retried: { idempotencyKey: 'event.emitted:a', status: 'handled' } },
      { retriedAll: { handled: 1, failed: 0, skipped: 0 } },
    ]);
  });

  test('discard removes letters', async () => {
    const args = ['dead-letters', 'discard', 'event.emitted:a', 'event.emitted:none', '--yes'];
    const { code, stdout } = await inProcess([...args, '--receiver', await moduleOf(['a'])]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '1 of 2 discarded.\n' });
  });

  test('changes nothing unless it is told to', async () => {
    for (const args of [
      ['discard', 'event.emitted:a'],
      ['retry', '--all'],
    ]) {
      const { code, stderr } = await inProcess(['dead-letters', ...args, '--receiver', await moduleOf(['a'])]);
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('use --yes') });
    }
    const { stderr } = await inProcess(['dead-letters', 'retry', '--receiver', await moduleOf(['a'])]);
    expect(stderr).toContain('Give either keys or --all.');
  });

  test('show prints the event and the last error', async () => {
    const module = await moduleOf(['a']);
    const { code, stdout } = await inProcess(['dead-letters', 'show', 'event.emitted:a', '--receiver', module]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^idempotencyKey {2}event\.emitted:a$/m);
    expect(stdout).toContain('"event": "event.emitted"');
    expect(stdout).not.toContain('\u001b');
    const none = await inProcess(['dead-letters', 'show', 'x', '--receiver', module]);
    expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining('no dead letter with this key') });
  });

  test('takes those of a queue', async () => {
    const file = await scratch();
    const letters = `[{ idempotencyKey: '7', data: { nothing: 1 }, lastFailedAt: 1, message: 'not an event job' }]`;
    const module = await file(
      'letters.mjs',
      `export default { list: async () => ({ letters: ${letters} }), find: async () => ${letters}[0],
         retry: async () => ({ queued: 1, skipped: 0 }), discard: async (keys) => keys };`,
    );
    const run = async (...args: string[]) => {
      const { code, stdout } = await inProcess(['dead-letters', ...args, '--receiver', module]);
      return `${code} ${stdout}`;
    };
    expect(await run('list')).toMatch(/^1 KEY.*\n7 +1970-\S+Z +not an event job\n$/);
    expect(await run('show', '7')).toMatch(/^0 idempotencyKey +7\n(.*\n)+.*"nothing": 1/);
    expect(await run('retry', '--all', '--yes')).toBe('0 1 queued, 0 skipped.\n');
    expect(await run('discard', '7', '--yes')).toBe('0 1 of 1 discarded.\n');
  });

  test('says when the store keeps none', async () => {
    const module = await moduleOf([], { deadLetters: 'undefined', store: 'false' });
    const { code, stderr } = await inProcess(['dead-letters', 'list', '--receiver', module]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('keeps dead letters') });
  });
});

test.each([
  ['y', ['retry', '--all'], /Retry all dead letters\? \[y\/N\]/, 0, /0 handled/],
  ['YES', ['retry', '--all'], /\[y\/N\]/, 0, /0 handled/],
  ['n', ['retry', '--all'], /\[y\/N\]/, 1, /Nothing was changed\./],
  ['', ['discard', 'event.emitted:1'], /Discard 1 dead letters\?/, 1, /Nothing was changed\./],
  ['y', ['discard', 'event.emitted:1'], /Discard 1 dead letters\?/, 1, /0 of 1 discarded\./],
] as const)('dead-letters takes %j on a terminal as the answer to %j', async (answer, args, question, code, shown) => {
  const command = onTerminal(['dead-letters', ...args, '--receiver', await moduleOf([])]);
  await command.shows(question);
  command.type(`${answer}\n`);
  expect(await command.ended).toBe(code);
  await command.shows(shown);
});
