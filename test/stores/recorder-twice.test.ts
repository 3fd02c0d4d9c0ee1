import { expect, it } from 'vitest';
import { createRecorder } from '../../src/stores/recorder.js';
import { deferred } from '../helpers.js';

it('a key that was run twice is pending until both of its records have an answer', async () => {
  const answers = new Map(['first', 'second'].map((owner) => [owner, deferred<ReadonlySet<string>>()]));
  const { record, pending, isIdle } = createRecorder((_, owner) => answers.get(owner)?.promise as never, {
    retentionMs: 60_000,
    timeoutMs: 10_000,
  });
  const [first, second] = [record(['a'], 'first'), record(['a'], 'second')];
  answers.get('second')?.resolve(new Set());
  expect(await second).toEqual(new Set());
  const waiting = pending('a');
  answers.get('first')?.resolve(new Set(['a']));
  await expect(waiting).resolves.toBeUndefined();
  expect(await first).toEqual(new Set(['a']));
  expect([pending('a'), isIdle()]).toEqual([undefined, true]);
});
