import { describe, expect, it } from 'vitest';
import { readFirstRun } from '../../src/page/first-run.js';
import { scratch } from '../cli/tool.js';

async function firstRun(manifest: unknown, secretFile?: string) {
  const file = await scratch();
  await file('package.json', JSON.stringify(manifest));
  return readFirstRun(await file('.'), secretFile);
}

describe('the first receiver of a project', () => {
  it('is mounted as the framework in package.json needs it', async () => {
    const express = await firstRun({ dependencies: { express: '5' } });
    expect(express).toMatchObject({
      framework: 'express',
      line: expect.stringContaining('before app.use(express.json'),
    });
    expect(await firstRun({ dependencies: { next: '16' } })).toMatchObject({ framework: 'next', line: undefined });
  });

  it('is not offered without a package.json, or with one that is not an object', async () => {
    expect([await firstRun(undefined), await firstRun(null)]).toEqual([undefined, undefined]);
  });

  it('starts with the secret of a file, or asks for it, and never names it', async () => {
    const command = async (manifest: object, file?: string) => (await firstRun(manifest, file))?.secretCommand;
    expect(await command({ scripts: { dev: 'next dev' } }, 's.txt')).toBe('WEBHOOK_SECRET=$(cat s.txt) npm run dev');
    expect(await command({}, "my shop's.txt")).toBe("WEBHOOK_SECRET=$(cat 'my shop'\\''s.txt') npm start");
    expect(await command({})).toBe('read -rs WEBHOOK_SECRET && WEBHOOK_SECRET=$WEBHOOK_SECRET npm start');
    expect(await command({}, '-')).toBe(await command({}));
    expect([(await firstRun({}))?.asks, (await firstRun({}, 's.txt'))?.asks]).toEqual([true, false]);
  });
});
