import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The project's own directory. */
export const projectRoot = fileURLToPath(new URL('../..', import.meta.url));

/** What a consumer installs beside the package; their own dependencies are found through the links. */
const INSTALLED = [
  'zod',
  'abitype',
  'express',
  'fastify',
  'hono',
  '@hono/node-server',
  'bullmq',
  'ioredis',
  'libsql',
  'pg',
  'pg-boss',
  'postgres',
  'redis',
  '@opentelemetry/api',
  '@opentelemetry/context-async-hooks',
  '@opentelemetry/core',
  '@opentelemetry/sdk-metrics',
  '@opentelemetry/sdk-trace-base',
  'pino',
  '@types/aws-lambda',
  '@types/express',
  '@types/node',
  '@types/pg',
] as const;

const run = promisify(execFile);

/** A project outside the repository that has the packed tarball installed. */
export interface Consumer {
  readonly root: string;
  /** Where the tarball was unpacked. */
  readonly packageRoot: string;
  /** Paths in the tarball as npm lists them. */
  readonly files: readonly string[];
  /** Writes a file of the consumer and gives its absolute path. */
  write(path: string, text: string): Promise<string>;
  remove(): Promise<void>;
}

/** Packs what `npm test` has built, and installs it without a network. */
export async function createConsumer(): Promise<Consumer> {
  const root = await mkdtemp(join(tmpdir(), 'consumer-'));
  const packageRoot = join(root, 'node_modules/event-webhook-receiver');
  await mkdir(packageRoot, { recursive: true });

  const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', root];
  const [packed] = JSON.parse((await run('npm', pack, { cwd: projectRoot })).stdout);
  if (!packed.files.some(({ path }: { path: string }) => path === 'dist/index.d.ts')) {
    throw new Error('dist is not built, or without its declarations: npm test and npm run build make it whole.');
  }
  await run('tar', ['-xzf', join(root, packed.filename), '-C', packageRoot, '--strip-components=1']);
  for (const name of INSTALLED) {
    const link = join(root, 'node_modules', name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(projectRoot, 'node_modules', name), link, 'dir');
  }

  const write = async (path: string, text: string) => {
    const file = join(root, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
    return file;
  };
  await write('package.json', JSON.stringify({ name: 'consumer', private: true, type: 'module' }));
  return {
    root,
    packageRoot,
    files: packed.files.map(({ path }: { path: string }) => path),
    write,
    remove: () => rm(root, { recursive: true }),
  };
}

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
