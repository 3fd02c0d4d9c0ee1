import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Consumer, type compilers, createConsumer, resolutions, typeCheck, withDom } from './consumer.js';

let consumer: Consumer;

beforeAll(async () => {
  consumer = await createConsumer();
  const fixture = (name: string) => readFile(new URL(`./fixtures/${name}.ts`, import.meta.url), 'utf8');
  await consumer.write('app.ts', await fixture('app'));
  await consumer.write('app.cts', await fixture('app'));
  await consumer.write('edge.ts', await fixture('edge'));
}, 60_000);

afterAll(() => consumer.remove());

describe.each(['5.9', '6.0', '7.0'] satisfies (keyof typeof compilers)[])(
  'TypeScript %s, skipLibCheck off',
  (compiler) => {
    test('compiles a consumer with module nodenext, as ESM and as CommonJS', { timeout: 120_000 }, async () => {
      const files = ['app.ts', 'app.cts'];
      expect(await typeCheck(consumer, compiler, { files, compilerOptions: resolutions.nodenext })).toBe('');
    });

    test('compiles a consumer with moduleResolution bundler, and the DOM beside Node', {
      timeout: 120_000,
    }, async () => {
      const compilerOptions = { ...resolutions.bundler, lib: withDom };
      expect(await typeCheck(consumer, compiler, { files: ['app.ts'], compilerOptions })).toBe('');
    });

    test('compiles a consumer that has the types of the web and none of Node', { timeout: 120_000 }, async () => {
      const compilerOptions = { ...resolutions.bundler, lib: ['es2023', 'webworker'], types: [] };
      expect(await typeCheck(consumer, compiler, { files: ['edge.ts'], compilerOptions })).toBe('');
    });
  },
);

const WITHOUT_ABITYPE = `
import { decodeEvent } from 'event-webhook-receiver/evm';
import { sampleEventEmitted } from 'event-webhook-receiver/testing';
const abi = [
  { type: 'event', name: 'Paid', inputs: [{ name: 'value', type: 'uint256' }] },
] as const;
const { args } = decodeEvent(sampleEventEmitted(), abi);
export const value: bigint = args.value;
`;

test('without abitype arguments are no any, in silence, but of a type that says what is missing', {
  timeout: 120_000,
}, async () => {
  const without = await createConsumer();
  try {
    await rm(join(without.root, 'node_modules/abitype'));
    await without.write('app.ts', WITHOUT_ABITYPE);
    const compilerOptions = { ...resolutions.nodenext, lib: withDom, skipLibCheck: true };
    const found = await typeCheck(without, '6.0', { files: ['app.ts'], compilerOptions });
    expect(found).toMatch(/app\.ts\(8,14\): error TS2322: .*Install abitype/);
  } finally {
    await without.remove();
  }
});
