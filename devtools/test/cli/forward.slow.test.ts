import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { limits, pageOf } from './emulated.js';
import { startProcess } from './running.js';
import { asProcess, SECRET } from './tool.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const quickStart = await readFile(join(root, 'docs/start/five-minutes.md'), 'utf8');
const explaining = await readFile(join(root, 'docs/develop/explain.md'), 'utf8');

/** Runs the receiver of the quick start on a free port, within the repository, whose packages it imports. */
async function receiver(): Promise<number> {
  const directory = await mkdtemp(join(root, 'devtools/test/.forward-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const [, program = ''] = /```ts\n(\/\/ server\.ts\n.*?)```/s.exec(quickStart) ?? [];
  await writeFile(join(directory, 'server.mjs'), program);
  const child = fork(join(directory, 'server.mjs'), {
    execArgv: ['--require', join(root, 'test/package/fixtures/tell-port.cjs')],
    env: { ...process.env, PORT: '0', WEBHOOK_SECRET: SECRET },
    stdio: 'ignore',
  });
  onTestFinished(() => void child.kill());
  const [port] = await once(child, 'message');
  return port;
}

it('the receiver of the quick start gets what the documentation and the page send to listen', limits, async () => {
  const port = await receiver();
  const env = { WEBHOOK_SECRET: SECRET };
  const [, ...words] = /^npx event-webhooks (listen --port 3001 --forward 3000)/m.exec(explaining) ?? [];
  const args = words.join('').replace('3001', '0').replace('3000', String(port)).split(' ');
  const listen = startProcess(args, env);
  const url = /http:\S+(?=\/)/.exec(await listen.until(/^Listening/))?.[0] ?? '';
  expect(await listen.until(/^Forwarding/)).toMatch(/, to the path of each delivery$/);
  const [, printed = ''] = /: npx event-webhooks (.*)/.exec(await listen.until(/^Send a sample/)) ?? [];
  const page = await pageOf(listen);
  const { sendCommand } = (await page('GET', 'state')).body;
  const [, documented = ''] = /^npx event-webhooks (send \S+)$/m.exec(quickStart) ?? [];
  for (const command of [printed, sendCommand.replace('npx event-webhooks ', ''), documented]) {
    const send = command.replace('http://127.0.0.1:3000', url);
    expect([send, await asProcess(send.split(' '), { env })]).toEqual([send, expect.objectContaining({ code: 0 })]);
    await listen.until(/200 accepted/);
  }
});
