import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createConfined, type Limits } from '../../src/confined/confined.js';
import { badThread } from './threads.js';

function confined(limits: Partial<Limits> = {}) {
  const all = { timeMs: 20_000, heapMiB: 64, ...limits };
  const made = createConfined(badThread, all);
  onTestFinished(made.close);
  return made;
}

describe('a task', { timeout: 60_000 }, () => {
  it.each(['loop', 'wait', 'recurse'])('that hangs is stopped, and the next one runs: %s', async (act) => {
    const { run } = confined({ timeMs: 3000 });
    expect(await run([act])).toEqual({ undone: 'stopped' });
    expect(await run(['say', 'next'])).toEqual({ result: 'next' });
  });

  it('that grows is stopped, and takes nothing else with it', async () => {
    const { run } = confined();
    expect(await run(['grow'])).toEqual({ undone: 'stopped' });
    expect(await run(['say', 'next'])).toEqual({ result: 'next' });
  });

  it.each(['throw', 'exit'])('that crashes counts as stopped: %s', async (act) => {
    const { run } = confined();
    expect(await run([act])).toEqual({ undone: 'stopped' });
    expect(await run(['say', 'next'])).toEqual({ result: 'next' });
  });
});

describe('the thread', { timeout: 60_000 }, () => {
  it('is told in each task what it needs, and has no environment', async () => {
    vi.stubEnv('WEBHOOK_SECRET', 'whsec-mine');
    const { run } = confined();
    const answer = await run(['environment']).finally(vi.unstubAllEnvs);
    expect(answer).toEqual({ result: expect.not.stringContaining('WEBHOOK_SECRET') });
  });
});

describe('tasks', { timeout: 60_000 }, () => {
  it('run one at a time, the latest with priority first', async () => {
    const { run } = confined();
    const done: unknown[] = [];
    const say = async (text: string, first: boolean) => done.push(await run(['say', text], first));
    await Promise.all([say('a', false), say('b', false), say('c', false), say('d', true), say('e', true)]);
    expect(done).toEqual(['a', 'e', 'd', 'b', 'c'].map((result) => ({ result })));
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
