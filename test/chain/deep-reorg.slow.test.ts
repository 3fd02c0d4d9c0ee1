import { describe, expect, it } from 'vitest';
import { transfer, valuesOf, watchedNode } from './watching.js';

const on = watchedNode();
const { start, done } = on;

const sent = () => valuesOf(on.recorder.groups);
const sentLast = (value: string) => on.recorder.until(() => sent().at(-1)?.[0] === value);
const mine = (value: number) => on.node.mine({ logs: [transfer(value)] });

describe('a re-org', () => {
  it('deeper than the kept blocks is logged as an error, undoes the kept blocks, and continues', async () => {
    for (let value = 1; value <= 300; value++) mine(value);
    await start({ fromBlock: 0 });
    await done(300);
    on.node.drop(290);
    for (let value = 1001; value <= 1295; value++) mine(value);
    await done(305);
    expect(on.recorder.lines).toMatchObject([{ level: 'error' }]);
    expect(on.recorder.lines[0]?.message).toContain('blocks before 45 ');
    const after = sent().slice(300);
    const undone = Array.from({ length: 256 }, (_, at) => [String(at - 300)]);
    const anew = Array.from({ length: 261 }, (_, at) => [String(at + 1035)]);
    expect(after).toEqual([...undone, ...anew]);
  }, 60_000);

  it('of all blocks is logged as an error when the old chain cannot be undone completely, and may have re-orgs itself', async () => {
    for (let value = 1; value <= 270; value++) mine(value);
    await start({ fromBlock: 5 });
    await done(270);
    on.node.drop(on.node.chain.length);
    on.node.mine();
    for (let value = 1001; value <= 1006; value++) mine(value);
    await sentLast('1006');
    expect(on.recorder.lines.map(({ level }) => level)).toEqual(['error']);
    expect(on.recorder.lines[0]?.message).toContain('Blocks before 15 are no longer kept and are not undone.');
    on.node.drop(3);
    for (const value of [2004, 2005, 2006]) mine(value);
    await sentLast('2006');
    expect(
      sent()
        .flat()
        .slice(266 + 256)
        .join(),
    ).toBe('1005,1006,-1006,-1005,2005,2006');
    expect(on.recorder.lines.map(({ level }) => level)).toEqual(['error', 'info']);
  }, 60_000);
});
