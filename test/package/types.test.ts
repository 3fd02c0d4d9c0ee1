import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Consumer,
  type compilers,
  createConsumer,
  resolutions,
  subpaths,
  typeCheck,
  withDom,
} from './consumer.js';

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

/** How CommonJS projects resolve modules that do not know `exports`. TypeScript 6 deprecates it and 7 lacks it. */
const node10 = { module: 'commonjs', moduleResolution: 'node10', esModuleInterop: true, skipLibCheck: true };

describe.each([
  ['5.9', {}],
  ['6.0', { ignoreDeprecations: '6.0' }],
] as const)('TypeScript %s with module commonjs and moduleResolution node10', (compiler, silenced) => {
  test('finds the types of every subpath', { timeout: 120_000 }, async () => {
    const imports = (await subpaths()).map(
      (subpath, at) => `import * as entry${at} from 'event-webhook-receiver${subpath}';\nexport { entry${at} };`,
    );
    await consumer.write('node10.ts', imports.join('\n'));
    const compilerOptions = { ...node10, ...silenced, lib: withDom };
    expect(await typeCheck(consumer, compiler, { files: ['app.ts', 'node10.ts'], compilerOptions })).toBe('');
  });

  test('reports a subpath that does not exist', { timeout: 120_000 }, async () => {
    await consumer.write(
      'missing.ts',
      "import 'event-webhook-receiver/evm'; import * as x from 'event-webhook-receiver/evn'; export { x };",
    );
    const compilerOptions = { ...node10, ...silenced };
    expect(await typeCheck(consumer, compiler, { files: ['missing.ts'], compilerOptions })).toMatch(
      /missing\.ts\(1,\d+\): error TS2307: Cannot find module 'event-webhook-receiver\/evn'/,
    );
  });
});

const WITHOUT_ABITYPE = `
import { decodeEvent } from 'event-webhook-receiver/evm';
import { sampleEventEmitted } from 'event-webhook-receiver/testing';
const abi = [
  { type: 'event', name: 'Paid', inputs: [{ name: 'value', type: 'uint256' }] },
] as const;
const { args } = decodeEvent(sampleEventEmitted(), abi);
export const value: bigint = args.value;
`;

test('without abitype, arguments have a type that says to install it, and not silently any', {
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
