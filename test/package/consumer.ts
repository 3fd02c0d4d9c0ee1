import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll } from 'vitest';

/** The project's own directory. */
export const projectRoot = fileURLToPath(new URL('../..', import.meta.url));

const run = promisify(execFile);

/** A package as it was packed. */
export interface Packed {
  readonly tarball: string;
  /** Where the tarball was unpacked. */
  readonly packageRoot: string;
  /** Paths in the tarball as npm lists them. */
  readonly files: readonly string[];
}

/** A project outside the repository that has both packed tarballs installed; the first is the receiver's. */
export interface Consumer extends Packed {
  readonly root: string;
  readonly devtools: Packed;
  /** Writes a file of the consumer and gives its absolute path. */
  write(path: string, text: string): Promise<string>;
  remove(): Promise<void>;
}

/** Packs what has been built, and installs it without a network. */
export async function createConsumer(): Promise<Consumer> {
  const root = await mkdtemp(join(tmpdir(), 'consumer-'));
  const modules = join(root, 'node_modules');

  // Both at once: npm takes as long to start as to pack.
  const pack = ['pack', '--workspaces', '--ignore-scripts', '--json'];
  const packed: { name: string; filename: string; files: { path: string }[] }[] = JSON.parse(
    (await run('npm', [...pack, '--pack-destination', root], { cwd: projectRoot })).stdout,
  );

  async function install(name: string, needed: string): Promise<Packed> {
    const { filename = '', files = [] } = packed.find((each) => each.name === name) ?? {};
    const paths = files.map(({ path }) => path);
    if (!paths.includes(needed)) throw new Error(`${needed} of ${name} is not built. Run npm run build.`);
    const packageRoot = join(modules, name);
    await mkdir(packageRoot, { recursive: true });
    await run('tar', ['-xzf', join(root, filename), '-C', packageRoot, '--strip-components=1']);
    return { tarball: join(root, filename), packageRoot, files: paths };
  }

  async function link(name: string, target: string): Promise<void> {
    const path = join(modules, name);
    await mkdir(dirname(path), { recursive: true });
    await symlink(target, path);
  }

  const own = 'event-webhook-receiver';
  const receiver = await install(own, 'dist/index.d.ts');
  const devtools = await install('event-webhooks', 'dist/service/index.d.ts');
  const { bin, dependencies } = await readJson(join(devtools.packageRoot, 'package.json'));
  const inWorkspace = Object.keys(dependencies).filter((name) => name !== own);
  // What a consumer may have beside the packages; their own dependencies are found through the links.
  const { devDependencies } = await readJson(join(projectRoot, 'package.json'));
  for (const name of new Set(['zod', ...Object.keys(devDependencies), ...inWorkspace])) {
    const nested = join(projectRoot, 'devtools/node_modules', name);
    await link(
      name,
      inWorkspace.includes(name) && existsSync(nested) ? nested : join(projectRoot, 'node_modules', name),
    );
  }
  for (const [name, path] of Object.entries<string>(bin)) {
    const program = join(devtools.packageRoot, path);
    await chmod(program, 0o755);
    await link(`.bin/${name}`, program);
  }

  const write = async (path: string, text: string) => {
    const file = join(root, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
    return file;
  };
  await write('package.json', JSON.stringify({ name: 'consumer', private: true, type: 'module' }));
  return { ...receiver, root, devtools, write, remove: () => rm(root, { recursive: true }) };
}

/** A consumer for the tests of a file or a block: it is there, and prepared, when they run. */
export function useConsumer(prepare: (consumer: Consumer) => unknown = () => {}): Consumer {
  const consumer = {} as Consumer;
  beforeAll(async () => {
    Object.assign(consumer, await createConsumer());
    await prepare(consumer);
  }, 120_000);
  afterAll(() => consumer.remove?.());
  return consumer;
}

const readJson = async (path: string) => JSON.parse(await readFile(path, 'utf8'));

/** The subpaths of package.json's `exports` that hold code, as what follows the package's name. */
export async function subpaths(): Promise<string[]> {
  const { exports } = JSON.parse(await readFile(join(projectRoot, 'package.json'), 'utf8'));
  return Object.keys(exports).flatMap((key) => (typeof exports[key] === 'string' ? [] : [key.slice(1)]));
}

/** The compilers that consumers have, by the directory that they are installed in. */
export const compilers = { '5.9': 'typescript5', '6.0': 'typescript', '7.0': 'typescript7' } as const;

/** How consumers resolve modules. */
export const resolutions = {
  nodenext: { module: 'nodenext', moduleResolution: 'nodenext' },
  bundler: { module: 'esnext', moduleResolution: 'bundler' },
} as const;

/** What `lib` holds unless a project says otherwise. */
export const withDom = ['es2023', 'dom', 'dom.iterable'];

/**
 * Type-checks files of a consumer in strict mode, and the declarations that they use unless the options say otherwise.
 * Gives what the compiler prints, which is nothing when all is well.
 */
export async function typeCheck(
  consumer: Consumer,
  compiler: keyof typeof compilers,
  options: {
    readonly files: readonly string[];
    readonly compilerOptions: { module: string; [option: string]: unknown };
  },
): Promise<string> {
  const compilerOptions = {
    target: 'es2022',
    lib: ['es2023'],
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    moduleDetection: 'force',
    allowJs: true,
    skipLibCheck: false,
    // Those of TypeScript itself, which take as long as ours.
    skipDefaultLibCheck: true,
    noEmit: true,
    ...options.compilerOptions,
  };
  const project = `tsconfig.${compiler}.${compilerOptions.module}.json`;
  const file = await consumer.write(project, JSON.stringify({ compilerOptions, files: options.files }));
  const tsc = join(projectRoot, 'node_modules', compilers[compiler], 'bin/tsc');
  try {
    return (await run(process.execPath, [tsc, '--pretty', 'false', '-p', file])).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    return stdout + stderr;
  }
}
