import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { serve } from '../servers.js';
import { receiver } from './receiver.js';
import { startProcess } from './running.js';
import { jsonLines, main, SECRET } from './tool.js';

const env = { PATH: process.env.PATH ?? '', WEBHOOK_SECRET: SECRET };

describe('the process', () => {
  test('exits quietly when its output is closed', async () => {
    const { url, requests } = await receiver();
    const child = spawn(process.execPath, [main, 'send', url, '--repeat', '100000'], { env });
    child.stdout.once('data', () => child.stdout.destroy());
    const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    expect([code, stderr]).toEqual([0, '']);
    expect(requests.length).toBeLessThan(100_000);
  });

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('prints its summary on %s and exits with %i', async (signal, exitCode) => {
    let children = 0;
    const url = await serve((request, response) => {
      request.resume();
      // The second delivery is never answered: it is under way when the signal comes.
      if (++children === 1) response.end();
      else void send.end(signal);
    });
    const send = startProcess(['send', url, '--repeat', '5', '--json'], env);
    expect([await send.ended, send.stderr]).toEqual([exitCode, '']);
    const last = jsonLines(send.stdout).at(-1);
    expect(last).toMatchObject({ summary: { deliveries: 1, accepted: 1, interrupted: true } });
  });

  const hasFullDisk = existsSync('/dev/full');
  if (hasFullDisk)
    test('reports the error once, in one line, when stdout is a full disk', () => {
      const { status, stderr } = spawnSync('sh', ['-c', `"${process.execPath}" "${main}" --help > /dev/full`], {
        env,
        encoding: 'utf8',
      });
      expect({ status, stderr }).toEqual({
        status: 2,
        stderr: 'event-webhooks: error: cannot write to stdout (ENOSPC)\n',
      });
    });
});
