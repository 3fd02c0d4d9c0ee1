// What each subpath may weigh in each runtime, and what it may load.

const SERVER = { withNode: true, platform: 'neutral' };
const EDGE = { withNode: false, platform: 'neutral' };

/** What the tools of each runtime tell a bundler. `withNode`: whether the runtime has Node's modules. */
export const RUNTIMES = {
  node: { ...SERVER, platform: 'node', conditions: [] },
  bun: { ...SERVER, conditions: ['bun', 'node'] },
  deno: { ...SERVER, conditions: ['deno', 'node'] },
  workerd: { ...EDGE, conditions: ['workerd', 'worker', 'browser'] },
  'edge-light': { ...EDGE, conditions: ['edge-light', 'worker'] },
  browser: { ...EDGE, platform: 'browser', conditions: ['browser'] },
};

const CLIENTS = ['ioredis', 'redis', 'bullmq', 'pg-boss', 'pg', 'postgres', 'libsql'];
const OPTIONAL = ['express', 'fastify', 'viem', ...CLIENTS];
const OPENTELEMETRY = ['@opentelemetry/api'];
const OTHERS = [...OPTIONAL, 'zod'];
const FOREIGN = [...OTHERS, ...OPENTELEMETRY];

/**
 * Budgets in bytes, minified and gzipped, where there is Node (`node`) and where there is not (`edge`); no `edge` means
 * that it does not run there. `foreign`: packages whose names must not occur; `mentions`: those of them that messages
 * may name, so only an import counts; `external`: packages that it is there for, which the user has.
 */
export const SUBPATHS = {
  '.': { node: 12_000, edge: 15_200, foreign: FOREIGN },
  './verify': { node: 1300, edge: 4200, foreign: FOREIGN },
  './schemas': { node: 30_000, edge: 30_000, foreign: [...OPTIONAL, ...OPENTELEMETRY] },
  './express': { node: 12_400, foreign: FOREIGN, mentions: ['express', 'pg'] },
  './fastify': { node: 12_400, foreign: FOREIGN, mentions: ['fastify', 'pg'] },
  './fetch': { node: 12_100, edge: 15_300, foreign: FOREIGN },
  './lambda': { node: 11_800, foreign: FOREIGN },
  './node': { node: 12_200, foreign: FOREIGN },
  './stores/redis': { node: 4100, foreign: FOREIGN, mentions: ['ioredis', 'redis'] },
  './stores/postgres': { node: 7300, foreign: FOREIGN, mentions: ['pg', 'postgres'] },
  './stores/sqlite': { node: 3700, foreign: FOREIGN, mentions: ['libsql'] },
  './queues/bullmq': { node: 6800, foreign: FOREIGN, mentions: ['bullmq'] },
  './queues/pg-boss': { node: 7400, foreign: FOREIGN, mentions: ['pg-boss'] },
  './evm': { node: 14_500, edge: 14_500, foreign: FOREIGN, mentions: ['viem', 'pg'] },
  './otel': { node: 3500, foreign: OTHERS, external: OPENTELEMETRY },
  './client': { node: 12_500, edge: 15_400, foreign: FOREIGN },
  './chain': { node: 26_000, edge: 26_000, foreign: FOREIGN, mentions: ['viem', 'pg'] },
  './testing': {
    node: 5000,
    edge: 8000,
    foreign: FOREIGN,
    mentions: ['express', 'fastify', 'redis', 'pg', 'postgres'],
  },
};

/** Which of a subpath's budgets is that of a runtime. */
export const budgetOf = (subpath, runtime) => SUBPATHS[subpath]?.[RUNTIMES[runtime].withNode ? 'node' : 'edge'];

const CORE = { builtins: ['node:crypto', 'node:diagnostics_channel'], packages: [] };
const OTEL_BUILTINS = ['node:async_hooks', ...CORE.builtins];

/**
 * What Node loads when it imports a subpath alone: how many of our files and bytes at most, as they are published, and
 * which of its own modules and which packages, exactly.
 */
export const IMPORTS = {
  '.': { files: 3, bytes: 69_000, ...CORE },
  './verify': { files: 2, bytes: 5500, ...CORE },
  './schemas': { files: 1, bytes: 5000, builtins: [], packages: ['zod'] },
  './express': { files: 4, bytes: 77_000, ...CORE },
  './fastify': { files: 4, bytes: 77_000, ...CORE },
  './fetch': { files: 4, bytes: 78_000, ...CORE },
  './lambda': { files: 4, bytes: 79_000, ...CORE },
  './node': { files: 4, bytes: 76_000, ...CORE },
  './stores/redis': { files: 4, bytes: 80_000, ...CORE },
  './stores/postgres': { files: 4, bytes: 97_000, ...CORE },
  './stores/sqlite': { files: 4, bytes: 78_000, ...CORE },
  './queues/bullmq': { files: 4, bytes: 78_000, ...CORE },
  './queues/pg-boss': { files: 4, bytes: 81_000, ...CORE },
  './evm': { files: 4, bytes: 140_000, ...CORE },
  './chain': { files: 4, bytes: 192_000, ...CORE },
  './otel': { files: 3, bytes: 79_000, builtins: OTEL_BUILTINS, packages: ['@opentelemetry/api'] },
  './client': { files: 3, bytes: 91_000, ...CORE },
  './testing': { files: 3, bytes: 72_000, ...CORE },
};
