import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { programs } from '../docs/programs.js';
import {
  type Consumer,
  type compilers,
  createConsumer,
  projectRoot,
  resolutions,
  subpaths,
  typeCheck,
  withDom,
} from './consumer.js';

/** The subpaths whose declarations name what only Node's types have. All others do without. */
const NEED_NODE = ['/express', '/fastify', '/node'];

/**
 * What the main install lacks (the programs of examples/orms and examples/serverless use it), or whose own declarations do
 * not compile.
 */
const ELSEWHERE =
  /from '(@aws-sdk|drizzle-orm|knex|kysely|sequelize|typeorm|@prisma|node:sqlite|bun:sqlite|@electric-sql)/;

/** The programs in the @example tags of every source file of both packages. */
async function examples(): Promise<{ path: string; text: string }[]> {
  const found: { path: string; text: string }[] = [];
  for (const folder of ['src', 'devtools/src']) {
    for (const name of await readdir(join(projectRoot, folder), { recursive: true })) {
      if (!name.endsWith('.ts')) continue;
      const source = await readFile(join(projectRoot, folder, name), 'utf8');
      for (const [index, [, text = '']] of [...source.matchAll(/@example\n \* ```ts\n(.*?)^ \* ```$/gms)].entries()) {
        if (ELSEWHERE.test(text)) continue;
        found.push({ path: `jsdoc/${folder}/${name}.${index}.ts`, text: text.replace(/^ \* ?/gm, '') });
      }
    }
  }
  return found;
}

let consumer: Consumer;
/** Programs of Node, and what is compiled without the types of Node. */
const [withNode, without]: [string[], string[]] = [[], []];

beforeAll(async () => {
  consumer = await createConsumer();
  const add = async (files: string[], path: string, text: string) => {
    await consumer.write(path, text);
    if (path.endsWith('ts')) files.push(path);
  };
  const fixture = (name: string) => readFile(new URL(`./fixtures/${name}.ts`, import.meta.url), 'utf8');
  await add(withNode, 'app.ts', await fixture('app'));
  await add(withNode, 'app.cts', await fixture('app'));
  const jsdoc = await examples();
  expect(jsdoc.length).toBeGreaterThan(10);
  for (const { path, text } of [...programs, ...jsdoc]) await add(withNode, path, text);
  await add(without, 'edge.ts', await fixture('edge'));
  for (const subpath of (await subpaths()).filter((each) => !NEED_NODE.includes(each))) {
    const text = `export * as everything from 'event-webhook-receiver${subpath}';`;
    await add(without, `neutral${subpath.replaceAll('/', '-')}.ts`, text);
  }
}, 60_000);

afterAll(() => consumer.remove());

describe.each(['5.9', '6.0', '7.0'] satisfies (keyof typeof compilers)[])('TypeScript %s', (compiler) => {
  test(`compiles a consumer${compiler === '7.0' ? ', every program of the documentation and every @example' : ''}`, {
    timeout: 120_000,
  }, async () => {
    const compilerOptions = { ...resolutions.nodenext, lib: withDom };
    // The fastest compiler checks everything, the others what uses every subpath.
    const files = compiler === '7.0' ? withNode : ['app.ts', 'app.cts'];
    expect(await typeCheck(consumer, compiler, { files, compilerOptions })).toBe('');
  });

  test('compiles every subpath for the web without a type of Node', { timeout: 120_000 }, async () => {
    const compilerOptions = { ...resolutions.bundler, lib: ['es2022', 'webworker'], types: [], listFiles: true };
    const output = (await typeCheck(consumer, compiler, { files: without, compilerOptions })).split('\n');
    expect(output.filter((line) => /error TS|@types\/node\//.test(line))).toEqual([]);
    const declarations = output.filter((line) => /event-webhook-receiver\/dist\/.+\.d\.ts$/.test(line));
    expect(declarations.length).toBeGreaterThanOrEqual(without.length - 1);
  });
});

test('./express and ./node need the types of Node, and nothing else', { timeout: 120_000 }, async () => {
  await consumer.write('needs-node.ts', NEED_NODE.map((each) => `import 'event-webhook-receiver${each}';`).join('\n'));
  const compilerOptions = { ...resolutions.bundler, lib: ['es2023', 'dom'], types: [] };
  const output = await typeCheck(consumer, '7.0', { files: ['needs-node.ts'], compilerOptions });
  const errors = output.split('\n').filter((line) => line.includes('error TS'));
  expect(errors.length).toBeGreaterThanOrEqual(NEED_NODE.length);
  expect(errors.filter((line) => !/Cannot find (?:module|name) 'node:(?:http2?|stream)'/.test(line))).toEqual([]);
});

/** How CommonJS projects resolve modules that do not know `exports`. TypeScript 6 deprecates it and 7 lacks it. */
const node10 = { module: 'commonjs', moduleResolution: 'node10', esModuleInterop: true, skipLibCheck: true };

test('moduleResolution node10 finds every subpath, and no other', { timeout: 120_000 }, async () => {
  const imports = [...(await subpaths()), '/evn'].map(
    (subpath, at) => `import * as entry${at} from 'event-webhook-receiver${subpath}';\nexport { entry${at} };`,
  );
  await consumer.write('node10.ts', imports.join('\n'));
  const compilerOptions = { ...node10, lib: withDom };
  expect(await typeCheck(consumer, '5.9', { files: ['app.ts', 'node10.ts'], compilerOptions })).toMatch(
    /^\S*node10\.ts\(\d+,\d+\): error TS2307: Cannot find module 'event-webhook-receiver\/evn'[^\n]*\n$/,
  );
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
    const found = await typeCheck(without, '7.0', { files: ['app.ts'], compilerOptions });
    expect(found).toMatch(/app\.ts\(8,14\): error TS2322: .*Install abitype/);
  } finally {
    await without.remove();
  }
});
