import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { HOSTS, type HostName, STORES, type StoreName } from './parts.js';

/** The parts of a project that `init` adapts to. */
export interface Project {
  readonly host: HostName;
  readonly store: StoreName;
  readonly tests: 'vitest' | 'jest' | 'node';
  /** Where the code is: `src/`, or the folder itself. */
  readonly root: 'src/' | '';
  /** Whether it has the app router of Next.js, in `root`. */
  readonly hasAppRouter: boolean;
  /** Packages of a client that `init` has no file for. */
  readonly other: string | undefined;
  readonly hasTypeScript: boolean;
  /** The command that starts the app. */
  readonly start: 'npm run dev' | 'npm start';
  /** The module that Prisma generates, if the schema names its folder. */
  readonly prismaClient?: string | undefined;
}

/** Clients and ORMs whose pages show what `init` does not write. */
const OTHERS = ['@prisma/client', 'sequelize', 'postgres', 'mongodb', 'redis', '@upstash/redis'];

/** Reads the folder's package.json. Undefined if it has none; throws if it is not JSON. */
export function readProject(folder: string): Project | undefined {
  const manifest = join(folder, 'package.json');
  if (!existsSync(manifest)) return undefined;
  const { dependencies, devDependencies, scripts } = JSON.parse(readFileSync(manifest, 'utf8'));
  const packages = new Set(Object.keys({ ...dependencies, ...devDependencies }));
  const isFolder = (name: string) => statSync(join(folder, name), { throwIfNoEntry: false })?.isDirectory() === true;
  const first = <Name extends string>(parts: Readonly<Record<Name, { readonly packages: readonly string[] }>>) =>
    (Object.keys(parts) as Name[]).find((name) => parts[name].packages.every((each) => packages.has(each))) as Name;
  const store = first(STORES);
  const source = isFolder('src') ? 'src/' : '';
  const app = [`${source}app`, 'app'].find(isFolder);
  return {
    host: first(HOSTS),
    store,
    tests: packages.has('vitest') ? 'vitest' : packages.has('jest') ? 'jest' : 'node',
    root: app === 'app' ? '' : source,
    hasAppRouter: app !== undefined,
    other: store === 'memory' ? OTHERS.find((name) => packages.has(name)) : undefined,
    hasTypeScript: packages.has('typescript'),
    start: scripts?.dev ? 'npm run dev' : 'npm start',
    prismaClient: prismaClient(join(folder, 'prisma/schema.prisma')),
  };
}

function prismaClient(schema: string): string | undefined {
  if (!existsSync(schema)) return undefined;
  const generator = /generator \w+ \{[^}]*"prisma-client(-js)?"[^}]*/.exec(readFileSync(schema, 'utf8'));
  const output = /output\s*=\s*"(.+)"/.exec(generator?.[0] ?? '')?.[1];
  return output && posix.join('prisma', output, generator?.[1] ? 'index' : 'client');
}
