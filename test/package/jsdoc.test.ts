import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Consumer, createConsumer, projectRoot, resolutions, typeCheck, withDom } from './consumer.js';

/**
 * What the main install lacks (the programs of examples/orms and examples/serverless use it), or whose own declarations do
 * not compile.
 */
const ELSEWHERE =
  /from '(@aws-sdk|drizzle-orm|knex|kysely|sequelize|typeorm|@prisma|node:sqlite|bun:sqlite|@electric-sql)/;

/** The programs in the @example tags of every source file of both packages. */
async function examples(): Promise<{ path: string; text: string }[]> {
  const found: { path: string; text: string }[] = [];
  const sources = await Promise.all(
    ['src', 'devtools/src'].map(async (folder) =>
      (await readdir(join(projectRoot, folder), { recursive: true })).map((file) => join(folder, file)),
    ),
  );
  for (const file of sources.flat()) {
    if (!file.endsWith('.ts')) continue;
    const source = await readFile(join(projectRoot, file), 'utf8');
    for (const [index, [, text = '']] of [...source.matchAll(/@example\n \* ```ts\n(.*?)^ \* ```$/gms)].entries()) {
      if (ELSEWHERE.test(text)) continue;
      found.push({ path: `jsdoc/${file}.${index}.ts`, text: text.replace(/^ \* ?/gm, '') });
    }
  }
  return found;
}

let consumer: Consumer;

beforeAll(async () => {
  consumer = await createConsumer();
}, 60_000);

afterAll(() => consumer.remove());

test('every @example in the sources compiles against the packed packages', { timeout: 60_000 }, async () => {
  const programs = await examples();
  expect(programs).not.toEqual([]);
  for (const { path, text } of programs) await consumer.write(path, text);
  const files = programs.map(({ path }) => path);
  const compilerOptions = { ...resolutions.nodenext, lib: withDom };
  expect(await typeCheck(consumer, '6.0', { files, compilerOptions })).toBe('');
});
