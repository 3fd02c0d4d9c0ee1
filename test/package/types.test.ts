import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { programs } from '../docs/programs.js';
import { type compilers, projectRoot, resolutions, subpaths, typeCheck, useConsumer, withDom } from './consumer.js';

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

const everything = (each: readonly string[]) =>
  each.map((subpath, at) => `export * as entry${at} from 'event-webhook-receiver${subpath}';`).join('\n');

/** What every compiler checks: each subpath, as ESM and as CommonJS, and the programs of the README. */
const common = ['entries.ts', 'entries.cts'];
let neutral: readonly string[];
/** The other programs, which the fastest compiler checks. */
const others: string[] = [];

const consumer = useConsumer(async (consumer) => {
  const all = await subpaths();
  for (const path of common) await consumer.write(path, everything(all));
  neutral = all.filter((each) => !NEED_NODE.includes(each));
  await consumer.write('neutral.ts', everything(neutral));
  for (const { page, path, text } of programs) {
    await consumer.write(path, text);
    if (path.endsWith('ts')) (page === 'README.md' ? common : others).push(path);
  }
  const jsdoc = await examples();
  expect(jsdoc.length).toBeGreaterThan(10);
  for (const { path, text } of jsdoc) {
    await consumer.write(path, text);
    others.push(path);
  }
});

describe.each(['5.9', '6.0', '7.0'] satisfies (keyof typeof compilers)[])('TypeScript %s', (compiler) => {
  test(`compiles a consumer${compiler === '7.0' ? ', every program of the documentation and every @example' : ''}`, {
    timeout: 120_000,
  }, async () => {
    const compilerOptions = { ...resolutions.nodenext, lib: withDom };
    const files = compiler === '7.0' ? [...common, ...others] : common;
    expect(await typeCheck(consumer, compiler, { files, compilerOptions })).toBe('');
  });

  test('compiles every subpath for the web without a type of Node', { timeout: 120_000 }, async () => {
    const compilerOptions = { ...resolutions.bundler, lib: ['es2022', 'webworker'], types: [], listFiles: true };
    const output = (await typeCheck(consumer, compiler, { files: ['neutral.ts'], compilerOptions })).split('\n');
    expect(output.filter((line) => /error TS|@types\/node\//.test(line))).toEqual([]);
    const declarations = output.filter((line) => /event-webhook-receiver\/dist\/.+\.d\.ts$/.test(line));
    expect(declarations.length).toBeGreaterThanOrEqual(neutral.length);
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

const WITHOUT_ABITYPE = `
import { decodeEvent } from 'event-webhook-receiver/evm';
import { sampleEventEmitted } from 'event-webhook-receiver/testing';
const abi = [
  { type: 'event', name: 'Paid', inputs: [{ name: 'value', type: 'uint256' }] },
] as const;
const { args } = decodeEvent(sampleEventEmitted(), abi);
export const value: bigint = args.value;
`;

// The last test: it takes the package from the consumer.
test('without abitype, arguments have a type that says to install it, and not silently any', {
  timeout: 120_000,
}, async () => {
  await rm(join(consumer.root, 'node_modules/abitype'), { force: true });
  await consumer.write('app.ts', WITHOUT_ABITYPE);
  const compilerOptions = { ...resolutions.nodenext, lib: withDom, skipLibCheck: true };
  const found = await typeCheck(consumer, '7.0', { files: ['app.ts'], compilerOptions });
  expect(found).toMatch(/app\.ts\(8,14\): error TS2322: .*Install abitype/);
});
