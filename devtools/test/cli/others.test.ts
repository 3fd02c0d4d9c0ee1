import { expect, it } from 'vitest';
import { createOthers } from '../../src/cli/others.js';
import type { Output } from '../../src/cli/output.js';

it('writes a few notes about requests that are not deliveries, and counts the rest', () => {
  const notes: string[] = [];
  let time = 0;
  const output = { note: (text: string) => notes.push(text) } as Partial<Output> as Output;
  const { note, done } = createOthers(output, () => time);
  for (let count = 0; count < 1000; count++) note('GET /');
  expect(notes).toEqual(Array(20).fill('GET /'));
  time = 6000;
  note('HEAD /');
  expect(notes.slice(20)).toEqual(['980 requests that are not deliveries arrived too fast to be shown.', 'HEAD /']);
  for (let count = 0; count < 20; count++) note('HEAD /');
  done();
  done();
  expect(notes.slice(-2)).toEqual(['HEAD /', '1 requests that are not deliveries arrived too fast to be shown.']);
});
