import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { serve } from '../servers.js';
import { receiver } from './receiver.js';
import { main, SECRET } from './tool.js';

const env = { PATH: process.env.PATH ?? '', WEBHOOK_SECRET: SECRET };

function collect(child: ChildProcess) {
  const text = { stdout: '', stderr: '' };
  child.stdout?.on('data', (chunk) => {
    text.stdout += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    text.stderr += chunk;
  });
  const ended = new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, ...text })),
  );
  return { text, ended };
}

describe('the process', () => {
  test('exits quietly when its output is closed', async () => {
    const { url, requests } = await receiver();
    const child = spawn(process.execPath, [main, 'send', url, '--repeat', '100000'], { env });
    const { ended } = collect(child);
    child.stdout.once('data', () => child.stdout.destroy());
    const { code, stderr } = await ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
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
      else child.kill(signal);
    });
    const child = spawn(process.execPath, [main, 'send', url, '--repeat', '5', '--json'], { env });
    const { code, stdout, stderr } = await collect(child).ended;
    expect({ code, stderr }).toEqual({ code: exitCode, stderr: '' });
    const last = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
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
