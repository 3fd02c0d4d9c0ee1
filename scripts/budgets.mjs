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
  '.': { node: 11_500, edge: 14_700, foreign: FOREIGN },
  './verify': { node: 1300, edge: 4200, foreign: FOREIGN },
  './schemas': { node: 30_000, edge: 30_000, foreign: [...OPTIONAL, ...OPENTELEMETRY] },
  './express': { node: 11_850, foreign: FOREIGN, mentions: ['express', 'pg'] },
  './fastify': { node: 11_950, foreign: FOREIGN, mentions: ['fastify', 'pg'] },
  './fetch': { node: 11_550, edge: 14_700, foreign: FOREIGN },
  './lambda': { node: 11_250, foreign: FOREIGN },
  './node': { node: 11_700, foreign: FOREIGN },
  './stores/redis': { node: 3600, foreign: FOREIGN, mentions: ['ioredis', 'redis'] },
  './stores/postgres': { node: 6750, foreign: FOREIGN, mentions: ['pg', 'postgres'] },
  './stores/sqlite': { node: 3100, foreign: FOREIGN, mentions: ['libsql'] },
  './queues/bullmq': { node: 6450, foreign: FOREIGN, mentions: ['bullmq'] },
  './queues/pg-boss': { node: 7400, foreign: FOREIGN, mentions: ['pg-boss'] },
  './evm': { node: 14_000, edge: 14_000, foreign: FOREIGN, mentions: ['viem', 'pg'] },
  './otel': { node: 3500, foreign: OTHERS, external: OPENTELEMETRY },
  './client': { node: 12_000, edge: 15_000, foreign: FOREIGN },
  './local': { node: 36_000, foreign: FOREIGN, mentions: ['viem', 'pg'] },
  './testing': {
    node: 30_000,
    edge: 30_000,
    foreign: FOREIGN,
    mentions: ['express', 'fastify', 'redis', 'pg', 'postgres'],
  },
};

/** Which of a subpath's budgets is that of a runtime. */
export const budgetOf = (subpath, runtime) => SUBPATHS[subpath]?.[RUNTIMES[runtime].withNode ? 'node' : 'edge'];

const CRYPTO = { builtins: ['node:crypto'], packages: [] };
const CORE = { builtins: ['node:crypto', 'node:diagnostics_channel'], packages: [] };
const NONE = { builtins: [], packages: [] };

/**
 * What Node loads when it imports a subpath alone: how many of our files and bytes at most, as they are published, and
 * which of its own modules and which packages, exactly.
 */
export const IMPORTS = {
  '.': { files: 12, bytes: 68_500, ...CORE },
  './verify': { files: 2, bytes: 5900, ...CRYPTO },
  './schemas': { files: 3, bytes: 7400, builtins: [], packages: ['zod'] },
  './express': { files: 15, bytes: 71_500, ...CORE },
  './fastify': { files: 15, bytes: 71_500, ...CORE },
  './fetch': { files: 14, bytes: 69_000, ...CORE },
  './lambda': { files: 14, bytes: 65_500, ...CORE },
  './node': { files: 15, bytes: 70_500, ...CORE },
  './stores/redis': { files: 6, bytes: 20_500, ...CRYPTO },
  './stores/postgres': { files: 6, bytes: 37_000, ...CRYPTO },
  './stores/sqlite': { files: 6, bytes: 18_500, ...CRYPTO },
  './queues/bullmq': { files: 10, bytes: 44_000, ...CORE },
  './queues/pg-boss': { files: 10, bytes: 47_500, ...CORE },
  './evm': { files: 6, bytes: 84_000, ...NONE },
  './otel': {
    files: 5,
    bytes: 16_000,
    builtins: ['node:async_hooks', 'node:diagnostics_channel'],
    packages: ['@opentelemetry/api'],
  },
  './client': { files: 8, bytes: 40_000, ...CRYPTO },
  './local': {
    files: 11,
    bytes: 75_000,
    builtins: ['node:crypto', 'node:events', 'node:fs', 'node:http', 'node:path'],
    packages: [],
  },
  './testing': { files: 8, bytes: 133_000, ...CRYPTO },
};
