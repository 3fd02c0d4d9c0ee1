import { expect, it } from 'vitest';
import { createOthers } from '../../src/cli/others.js';
import type { Output } from '../../src/cli/output.js';

it('writes a few notes about requests that are not deliveries, and counts the rest', () => {
  const notes: string[] = [];
  let time = 0;
  const output = { note: (text: string) => notes.push(text) } as Partial<Output> as Output;
  const { note, done } = createOthers(output, () => time);
  const get = { method: 'GET', path: '/\u0007', status: 405 };
  for (let count = 0; count < 1000; count++) note(get);
  expect(notes).toEqual(Array(20).fill('GET /\\u{0007}: not a POST, answered with 405.'));
  time = 6000;
  const head = { ...get, method: 'HEAD', path: '/' };
  const shown = 'HEAD /: not a POST, answered with 405.';
  note(head);
  expect(notes.slice(20)).toEqual(['980 requests that are not deliveries arrived too fast to be shown.', shown]);
  for (let count = 0; count < 20; count++) note(head);
  done();
  done();
  expect(notes.slice(-2)).toEqual([shown, '1 requests that are not deliveries arrived too fast to be shown.']);
});
