import { expect, it } from 'vitest';
import { parseDelivery } from '../../src/index.js';
import { emitted } from '../fixtures/events.js';

const around = (many: (count: number) => string) => (count: number) => {
  const [before, after] = JSON.stringify({ ...emitted(), more: 'HERE' }).split('"HERE"');
  return `[${before}${many(count)}${after}]`;
};
const list = (each: string) => around((count) => `[${`${each},`.repeat(count)}1e400]`);
const keys = (value: string) =>
  around((count) => `{${Array.from({ length: count }, (_, index) => `"${index}":${value}`).join()}}`);

const SHAPES: Record<string, (count: number) => string> = {
  numbers: list('1'),
  'numbers that are not exact': list('1e400'),
  fractions: list('0.5'),
  objects: list('{}'),
  'text with escapes': list('"\\u0000"'),
  'text that looks like numbers': list('"-1.1.1e-1"'),
  'keys that are whole numbers': keys('1'),
  'equal keys': around((count) => `{${'"a":[1e400],'.repeat(count)}"a":1e400}`),
  'levels of arrays': around((count) => `${'['.repeat(count)}1.5${']'.repeat(count)}`),
  'levels of objects': around((count) => `${'{"a":'.repeat(count)}1.5${'}'.repeat(count)}`),
  'digits of a number': around((count) => `1${'0'.repeat(count)}.5`),
  'invalid items': (count) => `[${new Array(count).fill('{"event":"event.emitted"}').join()}]`,
  'invalid inputs of invalid items': (count) =>
    `[${new Array(Math.ceil(count / 100)).fill(`{"event":"event.emitted","data":{"event":{"inputs":[${'1,'.repeat(100)}1]}}}`).join()}]`,
  'items of unknown kinds': (count) => `[${new Array(count).fill('{"id":"x","event":"y"}').join()}]`,
};

/** The fastest of some runs, in ms: what else the machine does makes the others slower. */
function timeOf(body: string): number {
  const times = Array.from({ length: 7 }, () => {
    const start = performance.now();
    parseDelivery(body);
    return performance.now() - start;
  });
  return Math.min(...times);
}

it.each(Object.entries(SHAPES))(
  '16 times as many %s take about 16 times as long to parse',
  { timeout: 60_000 },
  (_, make) => {
    const [few, many] = [make(600), make(9600)];
    timeOf(few);
    // Growth with the square would be 256 times.
    expect(timeOf(many) / timeOf(few)).toBeLessThan(80);
  },
);
