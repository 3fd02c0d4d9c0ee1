import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { bundle } from './bundle.js';
import { fuzz, replay } from './run.js';

const SEED = 7;
const PLANTED = /[\\/]planted[\\/]/;
const MINUTE_MS = 60_000;

const planted = (name: string) => bundle(fileURLToPath(new URL(`planted/${name}.ts`, import.meta.url)), PLANTED);

/** A run that ends by its number of executions, however busy the machine. */
const run = async (name: string, executions: number) =>
  fuzz(await planted(name), [], { seed: SEED, seconds: 60, executions });

it('finds an error behind three nested conditions, and shrinks its input', { timeout: MINUTE_MS }, async () => {
  const { findings } = await run('parser', 200_000);
  expect(findings.map(({ message }) => message)).toEqual(['RangeError: the planted defect']);
  expect(findings.map(({ input }) => String(input))).toEqual(['planteddefectfound']);
});

it('ends an input that hangs, and reports it', { timeout: MINUTE_MS }, async () => {
  const { findings } = await run('hang', 20_000);
  expect(findings.length).toBeGreaterThan(0);
  for (const { message, input } of findings) {
    expect(message).toBe('does not end within 500 ms');
    expect(String(input)).toMatch(/^\[(|.*[^\]])$/s);
  }
  const again = await replay(await planted('hang'), Buffer.from('[x'));
  expect(again).toMatchObject({ message: 'does not end within 500 ms' });
});

it('reports an input that takes memory', { timeout: MINUTE_MS }, async () => {
  const { findings } = await run('memory', 2000);
  expect(findings.length).toBeGreaterThan(0);
  for (const { message, input } of findings) {
    expect(message).toMatch(/^grows the heap by \d+ MB$/);
    expect(input.readUInt8(0)).toBe(0x6c);
  }
});
