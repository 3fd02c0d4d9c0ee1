import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createConfined, type Limits } from '../../src/confined/confined.js';
import { processFile } from '../explain-files.js';
import { badThread } from './threads.js';

function confined(limits: Partial<Limits> = {}) {
  const all = { timeMs: 20_000, heapMiB: 64, memoryMiB: 256, ...limits };
  const made = createConfined<readonly string[], string>(badThread, all);
  onTestFinished(made.close);
  return made;
}

describe('a task', { timeout: 60_000 }, () => {
  it.each(['loop', 'wait', 'recurse'])('that hangs is stopped, and the next one runs: %s', async (act) => {
    const { run } = confined({ timeMs: 3000 });
    expect(await run([act])).toEqual({ undone: 'stopped' });
    expect(await run(['say', 'next'])).toEqual({ result: 'next' });
  });

  it.each(['objects', 'numbers', 'buffers', 'strings', 'flat', 'array', 'map', 'json'])(
    'that grows is stopped, and takes nothing else with it: %s',
    async (act) => {
      const { run } = confined();
      expect(await run([act])).toEqual({ undone: 'stopped' });
      expect(await run(['say', 'next'])).toEqual({ result: 'next' });
    },
  );

  it.each(['throw', 'exit', 'abort'])('that crashes counts as stopped: %s', async (act) => {
    const { run } = confined();
    expect(await run([act])).toEqual({ undone: 'stopped' });
    expect(await run(['say', 'next'])).toEqual({ result: 'next' });
  });
});

describe('the process', { timeout: 60_000 }, () => {
  it('is told in each task what it needs, and has no environment', async () => {
    vi.stubEnv('WEBHOOK_SECRET', 'whsec-mine');
    const { run } = confined();
    const answer = await run(['environment']).finally(vi.unstubAllEnvs);
    expect(answer).toEqual({ result: expect.not.stringContaining('WEBHOOK_SECRET') });
  });

  it('ends with this one, however early', async () => {
    const child = fork(processFile, [JSON.stringify({ thread: badThread, heapMiB: 64, memoryMiB: 256 })], {
      execArgv: [],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    child.disconnect();
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
  });

  it('has as long to start as it needs: only the task is timed', async () => {
    const { run } = confined({ timeMs: 3000 });
    const program = join(await mkdtemp(join(tmpdir(), 'slow-')), 'node');
    const { execPath } = process;
    await writeFile(program, `#!/bin/sh\nsleep 4\nexec '${execPath}' "$@"\n`, { mode: 0o700 });
    process.execPath = program;
    const task = run(['say', 'late']);
    process.execPath = execPath;
    expect(await task).toEqual({ result: 'late' });
  });

  it('that cannot be started leaves tasks undone until it can', async () => {
    const { run } = confined();
    const { execPath } = process;
    process.execPath = '/there/is/no/such/program';
    const tasks = await Promise.all([run(['say', 'a']), run(['say', 'b'])]).finally(() => {
      process.execPath = execPath;
    });
    expect(tasks).toEqual([{ undone: 'unstarted' }, { undone: 'unstarted' }]);
    expect(await run(['say', 'next'])).toEqual({ result: 'next' });
  });
});

describe('tasks', { timeout: 60_000 }, () => {
  it('run one at a time, those with priority first', async () => {
    const { run } = confined();
    const done: unknown[] = [];
    const say = async (text: string, first: boolean) => done.push(await run(['say', text], first));
    await Promise.all([say('a', false), say('b', false), say('c', false), say('d', true), say('e', true)]);
    expect(done).toEqual(['a', 'd', 'e', 'b', 'c'].map((result) => ({ result })));
  });

  it('are refused when too many wait, except those with priority', async () => {
    const { run, close } = confined();
    const running = run(['loop']);
    const waiting = Array.from({ length: 100 }, () => run(['say']));
    expect(await run(['say'])).toEqual({ undone: 'full' });
    const urgent = run(['say'], true);
    close();
    expect(await Promise.all([running, urgent, ...waiting])).toEqual(Array(102).fill({ undone: 'closed' }));
    expect(await run(['say'])).toEqual({ undone: 'closed' });
  });
});
