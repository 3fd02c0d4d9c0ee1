import { execFile } from 'node:child_process';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { useConsumer } from '../package/consumer.js';
import { binaryOf, needsRuntimes } from './installed.js';

// The packed `./otel` with the real SDK, in every runtime that has channels.

const run = promisify(execFile);
const RUNTIMES: [title: string, command: string | undefined, args?: readonly string[]][] = [
  [`Node ${process.versions.node}`, process.execPath],
  ['Node 22', binaryOf('node22')],
  ['Node 24', binaryOf('node24')],
  ['Bun', binaryOf('bun')],
  ['Deno', binaryOf('deno'), ['run', '--allow-all', '--no-lock']],
];

const pathsOf = (sender: string, ids: readonly string[]) => {
  const delivery = `process event-webhooks < send ${sender}`;
  const events = ids.map((id) => `handle event.emitted ${id} < ${delivery}`);
  return [...events, ...events.map((path, index) => `work ${ids[index]} < ${path}`), delivery, `send ${sender}`];
};

const consumer = useConsumer(({ root }) =>
  copyFile(new URL('./runners/otel.mjs', import.meta.url), join(root, 'otel.mjs')),
);

for (const [title, command, args = []] of RUNTIMES) {
  describe.skipIf(command === undefined)(`./otel in ${title}${command === undefined ? needsRuntimes : ''}`, () => {
    it.each(['import', 'require'])(
      'by %s: spans and metrics of deliveries over HTTP',
      { timeout: 60_000 },
      async (how) => {
        const file = join(consumer.root, 'otel.mjs');
        const env = { ...process.env, NODE_OPTIONS: '', DENO_NO_UPDATE_CHECK: '1', DENO_NO_PROMPT: '1' };
        const { stdout } = await run(command ?? '', [...args, file, how], { cwd: consumer.root, env });
        const { statuses, paths, counted } = JSON.parse(stdout);
        expect(statuses).toEqual([200, 200, 403, 200]);
        const expected = [
          ...pathsOf('a', ['a1', 'a2']),
          ...pathsOf('b', ['b1', 'b2']),
          ...pathsOf('c', []),
          'unseen',
          'work d',
        ];
        expect(paths).toEqual(expected.sort());
        expect(counted).toEqual([
          ['ERR_WEBHOOK_HEADER', 1],
          ['none', 2],
        ]);
      },
    );
  });
}
