import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Packed, projectRoot, useConsumer } from './consumer.js';

const run = promisify(execFile);
const consumer = useConsumer();

const manifestOf = async ({ packageRoot }: Packed) =>
  JSON.parse(await readFile(join(packageRoot, 'package.json'), 'utf8'));

async function contentsOf({ files, packageRoot }: Packed): Promise<Map<string, string>> {
  const read = async (path: string) => [path, await readFile(join(packageRoot, path), 'utf8')] as const;
  return new Map(await Promise.all(files.map(read)));
}

/** Packages of which a built file contains code, as esbuild names them. */
function inlinedIn(contents: Map<string, string>): string[] {
  const found = [...contents.values()].flatMap((text) => [
    ...text.matchAll(/^\/\/ .*node_modules\/((?:@[^/\n]+\/)?[^/\n]+)/gm),
  ]);
  return [...new Set(found.map(([, name = '']) => name))].sort();
}

describe.each([
  ['event-webhook-receiver', () => consumer],
  ['event-webhooks', () => consumer.devtools],
] as const)('the tarball of %s', (_, packed) => {
  let contents: Map<string, string>;
  let manifest: Record<string, object>;

  beforeAll(async () => {
    contents = await contentsOf(packed());
    manifest = JSON.parse(contents.get('package.json') ?? '');
  });

  const filesWith = (pattern: RegExp) => [...contents].filter(([, text]) => pattern.test(text)).map(([path]) => path);

  it('contains documents and built files, and no TypeScript source but that of templates', () => {
    const others = [...contents.keys()].filter((path) => !path.startsWith('dist/'));
    expect(others.filter((path) => !/^(LICENSE|package\.json|[A-Z_]+\.md|docs\/[\w/-]+\.md)$/.test(path))).toEqual([]);
    expect(others).toEqual(expect.arrayContaining(['LICENSE', 'package.json']));
    expect([...contents.keys()].filter((path) => /^(?!dist\/cli\/templates\/).*(?<!\.d)\.c?ts$/.test(path))).toEqual(
      [],
    );
  });

  it('contains every file that package.json points to', () => {
    const { main, module, types, bin, imports, exports } = manifest;
    const targets =
      JSON.stringify([main, module, types, bin, imports, exports]).match(/(?<=")(\.\/)?dist\/[^"]+/g) ?? [];
    expect(targets).not.toEqual([]);
    expect(targets.map((path) => path.replace('./', '')).filter((path) => !contents.has(path))).toEqual([]);
  });

  it('runs no script on install', () => {
    const { scripts = {} } = manifest;
    expect(['preinstall', 'install', 'postinstall', 'prepare'].filter((name) => name in scripts)).toEqual([]);
  });

  it('does not name the machine that built it, or a registry', () => {
    for (const directory of [projectRoot, `${homedir()}/`]) {
      const built = [...contents].filter(([path]) => path.startsWith('dist/'));
      expect(built.filter(([, text]) => text.includes(directory)).map(([path]) => path)).toEqual([]);
    }
    expect(filesWith(/sourceMappingURL/)).toEqual([]);
    expect(filesWith(/registry\.\w+\.\w|\/\/npm\.|verdaccio|artifactory|:4873/i)).toEqual([]);
  });
});

it.each([
  ['event-webhook-receiver', () => consumer, ['@noble/hashes', 'ky']],
  ['event-webhooks', () => consumer.devtools, ['@noble/hashes']],
] as const)('%s includes the licence of every package that it inlines', async (_, packed, names) => {
  const contents = await contentsOf(packed());
  const licences = contents.get('THIRD_PARTY_LICENSES.md') ?? '';
  expect(inlinedIn(contents)).toEqual(names);
  for (const name of names) expect(licences).toContain(`## ${name} `);
});

it('package-lock.json names no host that a package came from', async () => {
  const lock = JSON.parse(await readFile(join(projectRoot, 'package-lock.json'), 'utf8'));
  const packages = Object.entries<{ resolved?: string; integrity?: string; link?: true }>(lock.packages);
  const fetched = packages.filter(([path, { link }]) => path.startsWith('node_modules/') && !link);
  expect(fetched.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path)).toEqual([]);
});

/** Packages that the built files of a tarball and their declarations import, but for those of the page and of templates. */
async function importedBy({ packageRoot, files }: Packed): Promise<string[]> {
  const built = files.filter((path) => /^dist\/(?!cli\/(?:browser|templates)\/).*\.c?[jt]s$/.test(path));
  const texts = await Promise.all(built.map((path) => readFile(join(packageRoot, path), 'utf8')));
  const specifiers = texts.flatMap((text) => ts.preProcessFile(text, true, true).importedFiles);
  const names = specifiers.map(({ fileName }) => /^(?![.#]|node:)(@[^/]+\/)?[^/]+/.exec(fileName)?.[0]);
  return [...new Set(names.filter((name) => name !== undefined))].sort();
}

describe('event-webhook-receiver', () => {
  it('depends on nothing but zod', async () => {
    const { dependencies } = await manifestOf(consumer);
    expect(Object.keys(dependencies)).toEqual(['zod']);
  });

  it('has an optional peer for each package that its files import, and for no other', async () => {
    const { dependencies, peerDependencies, peerDependenciesMeta } = await manifestOf(consumer);
    const declared = Object.keys({ ...dependencies, ...peerDependencies });
    expect(await importedBy(consumer)).toEqual(declared.sort());
    const optional = Object.keys(peerDependencies).map((name) => [name, { optional: true }]);
    expect(peerDependenciesMeta).toEqual(Object.fromEntries(optional));
  });

  it('takes every later version of a peer', async () => {
    const { peerDependencies } = await manifestOf(consumer);
    for (const range of Object.values(peerDependencies)) expect(range).toMatch(/^>=\d+(\.\d+)*$/);
  });
});

describe('event-webhooks', () => {
  it('runs by its name where both packages are installed', async () => {
    const { stdout } = await run('npx', ['--no-install', 'event-webhooks', '--help'], {
      cwd: consumer.root,
    });
    for (const command of ['listen', 'send', 'explain', 'emulate']) expect(stdout).toContain(command);
  });

  it('has no peers, and depends on the packages that its files import', async () => {
    const { dependencies, peerDependencies } = await manifestOf(consumer.devtools);
    expect(peerDependencies).toBeUndefined();
    // A peer of @commander-js/extra-typings.
    expect([...(await importedBy(consumer.devtools)), 'commander'].sort()).toEqual(Object.keys(dependencies).sort());
  });
});

/** Runs a program in the consumer's directory and returns the JSON that it prints. */
async function evaluate(extension: 'mjs' | 'cjs', name: string, program: string): Promise<unknown> {
  const file = await consumer.write(`${name}.${extension}`, program);
  return JSON.parse((await run(process.execPath, [file], { cwd: consumer.root })).stdout);
}

/** Makes each subpath throw one of its errors, and prints whether `WebhookError` and `isWebhookError` of the root recognize it. */
const THROW_EVERYWHERE = `
const attempts = {
  root: () => root.createReceiver({}),
  verify: () => verify.signDelivery('', { secret: 's' }),
  express: () => express.expressHandler({}),
  fastify: () => fastify.fastifyPlugin({}),
  fetch: () => fetch.fetchHandler({}),
  lambda: () => lambda.lambdaHandler({}),
  node: () => node.nodeHandler({}),
  evm: () => evm.contractEvent({ abi: [], name: 'Transfer' }),
  client: () => client.createWebhookClient({ baseUrl: 'https://service.example', apiKey: '' }),
  testing: () => testing.createTestDelivery([], { secret: '' }),
};
const seen = {};
for (const [name, attempt] of Object.entries(attempts)) {
  try {
    attempt();
    seen[name] = 'did not throw';
  } catch (error) {
    seen[name] = [error instanceof own.WebhookError, error instanceof own.ConfigError, own.isWebhookError(error)];
  }
}
console.log(JSON.stringify(seen));
`;

const SUBPATHS = {
  ...{ root: '', verify: '/verify', express: '/express', fastify: '/fastify', fetch: '/fetch', lambda: '/lambda' },
  ...{ node: '/node', evm: '/evm', client: '/client', testing: '/testing' },
};
const load = (line: (name: string, specifier: string) => string) =>
  Object.entries(SUBPATHS)
    .map(([name, subpath]) => line(name, `event-webhook-receiver${subpath}`))
    .join('\n');
const imports = load((name, specifier) => `import * as ${name} from '${specifier}';`);
const requires = load((name, specifier) => `const ${name} = require('${specifier}');`);
const everywhere = (seen: boolean[]) => Object.fromEntries(Object.keys(SUBPATHS).map((name) => [name, seen]));
/** ./verify is one file, so that it loads fast: its classes are not those of the root. */
const onceButForVerify = { ...everywhere([true, true, true]), verify: [false, false, true] };

describe('one WebhookError in every subpath but ./verify', () => {
  it('when all are imported', { timeout: 20_000 }, async () => {
    const program = `${imports}\nconst own = root;\n${THROW_EVERYWHERE}`;
    expect(await evaluate('mjs', 'classes', program)).toEqual(onceButForVerify);
  });

  it('and where ESM and CommonJS meet, isWebhookError knows the errors of both', { timeout: 20_000 }, async () => {
    const program = `import { createRequire } from 'node:module'; import * as own from 'event-webhook-receiver';
      const require = createRequire(import.meta.url);\n${requires}\n${THROW_EVERYWHERE}`;
    expect(await evaluate('mjs', 'both', program)).toEqual(everywhere([false, false, true]));
  });
});
