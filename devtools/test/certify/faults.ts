import { expect } from 'vitest';
import { CASES } from '../../src/certify/run-cases.js';
import { inProcess, jsonLines, SECRET } from '../cli/tool.js';
import { withHandler } from './handlers/start.js';
import { FAIL_ID } from './in-process.js';

/** Faults about bodies that do not arrive: for the others, 200 connections show nothing more. */
const OF_CONNECTIONS = ['', 'none', 'one-thread'];

/** The cases that failed or warned, by id, when the command certified a handler with a fault. */
export async function found(handler: readonly string[], fault = ''): Promise<string[]> {
  return await withHandler(handler, { FAULT: fault, WEBHOOK_SECRET: SECRET }, async (origin) => {
    const cases = CASES.filter(({ id }) => id !== 'half-sent' || OF_CONNECTIONS.includes(fault));
    const args = [
      ...['certify', `${origin}/webhooks`, '--effects', `${origin}/effects`, '--fail-id', FAIL_ID, '--timeout', '3'],
      ...cases.flatMap(({ id }) => ['--only', id]),
    ];
    const { code, stdout, stderr } = await inProcess([...args, '--json'], { env: { WEBHOOK_SECRET: SECRET } });
    const lines = jsonLines(stdout).map((line) => line.case ?? line.summary);
    const bad = lines.filter(({ verdict }) => verdict === 'failed' || verdict === 'warning');
    const isFailed = bad.some(({ verdict }) => verdict === 'failed');
    expect({ code, stderr }).toEqual({ code: isFailed ? 1 : 0, stderr: '' });
    for (const { risk, fix } of bad) expect([typeof risk, typeof fix]).toEqual(['string', 'string']);
    expect(lines.at(-1)).toMatchObject({ effects: 'counted', interrupted: false });
    const [{ verdict: first }] = lines;
    expect(lines.at(-1).notRun).toBe(first === 'failed' ? cases.length - 1 : 0);
    return bad.map(({ id, verdict }) => (verdict === 'failed' ? id : `${id} (warning)`));
  });
}
