import { expect, it } from 'vitest';
import { createRecorder } from '../../src/stores/recorder.js';
import { deferred } from '../helpers.js';

it('a key that was run twice is pending until both of its records have an answer', async () => {
  const answers = new Map(['first', 'second'].map((owner) => [owner, deferred<ReadonlySet<string>>()]));
  const { record, pending } = createRecorder((_, owner) => answers.get(owner)?.promise as never, {
    leaseMs: 60_000,
    retentionMs: 60_000,
    timeoutMs: 10_000,
  });
  const [first, second] = [record(['a'], 'first'), record(['a'], 'second')];
  answers.get('second')?.resolve(new Set());
  await expect(second).rejects.toThrow('another run has taken over the key');
  const waiting = pending('a');
  answers.get('first')?.resolve(new Set(['a']));
  await expect(waiting).resolves.toBeUndefined();
  await first;
  expect(pending('a')).toBeUndefined();
});
