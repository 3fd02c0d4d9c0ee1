import { expect, it } from 'vitest';
import { isForeground } from '../../src/cli/terminal/foreground.js';
import { scratch } from './tool.js';

it('a process is in the foreground if its group is that of the terminal', async () => {
  const file = await scratch();
  const stat = (foreground: number) => file('stat', `42 (a) name) S 1 42 42 34816 ${foreground} 0`);
  expect([isForeground(await stat(42)), isForeground(await stat(7))]).toEqual([true, false]);
  expect([isForeground(), isForeground('/no/such/file')]).toEqual([expect.any(Boolean), expect.any(Boolean)]);
});
