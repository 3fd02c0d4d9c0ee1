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
  '.': { node: 14_550, edge: 17_750, foreign: FOREIGN },
  './verify': { node: 1450, edge: 4350, foreign: FOREIGN },
  './schemas': { node: 28_450, edge: 28_450, foreign: [...OPTIONAL, ...OPENTELEMETRY] },
  './express': { node: 14_650, foreign: FOREIGN, mentions: ['express', 'pg'] },
  './fastify': { node: 14_900, foreign: FOREIGN, mentions: ['fastify', 'pg'] },
  './fetch': { node: 14_400, edge: 17_600, foreign: FOREIGN },
  './lambda': { node: 14_050, foreign: FOREIGN },
  './node': { node: 14_650, foreign: FOREIGN },
  './stores/redis': { node: 5250, foreign: FOREIGN, mentions: ['ioredis', 'redis'] },
  './stores/sql': { node: 20_200, edge: 22_800, foreign: FOREIGN, mentions: ['pg', 'postgres', 'libsql'] },
  './stores/sql/postgres-js-socket': { node: 2100, foreign: FOREIGN, mentions: ['postgres', 'pg'] },
  './queues/bullmq': { node: 7650, foreign: FOREIGN, mentions: ['bullmq'] },
  './queues/pg-boss': { node: 8200, foreign: FOREIGN, mentions: ['pg-boss'] },
  './evm': { node: 14_750, edge: 14_750, foreign: FOREIGN, mentions: ['viem', 'pg'] },
  './otel': { node: 3850, foreign: OTHERS, external: OPENTELEMETRY },
  './client': { node: 12_700, edge: 15_650, foreign: FOREIGN },
  './chain': { node: 24_300, edge: 24_300, foreign: FOREIGN, mentions: ['viem', 'pg'] },
  './testing': {
    node: 2900,
    edge: 5800,
    foreign: FOREIGN,
    mentions: ['express', 'fastify', 'redis', 'pg', 'postgres'],
  },
};

/** Which of a subpath's budgets is that of a runtime. */
export const budgetOf = (subpath, runtime) => SUBPATHS[subpath]?.[RUNTIMES[runtime].withNode ? 'node' : 'edge'];

const CORE = { builtins: ['node:crypto', 'node:diagnostics_channel'], packages: [] };
const SOCKET_BUILTINS = [...CORE.builtins, 'node:net', 'node:stream', 'node:tls'];
const OTEL_BUILTINS = ['node:async_hooks', ...CORE.builtins];

/**
 * What Node loads when it imports a subpath alone: how many of our files and bytes at most, as they are published, and
 * which of its own modules and which packages, exactly.
 */
export const IMPORTS = {
  '.': { files: 3, bytes: 83_500, ...CORE },
  './verify': { files: 2, bytes: 7000, ...CORE },
  './schemas': { files: 1, bytes: 5000, builtins: [], packages: ['zod'] },
  './express': { files: 4, bytes: 92_000, ...CORE },
  './fastify': { files: 4, bytes: 93_000, ...CORE },
  './fetch': { files: 4, bytes: 92_000, ...CORE },
  './lambda': { files: 4, bytes: 85_000, ...CORE },
  './node': { files: 4, bytes: 92_000, ...CORE },
  './stores/redis': { files: 4, bytes: 99_500, ...CORE },
  './stores/sql': { files: 4, bytes: 177_000, ...CORE },
  './stores/sql/postgres-js-socket': { files: 4, bytes: 95_000, builtins: SOCKET_BUILTINS, packages: [] },
  './queues/bullmq': { files: 4, bytes: 92_500, ...CORE },
  './queues/pg-boss': { files: 4, bytes: 95_500, ...CORE },
  './evm': { files: 4, bytes: 152_000, ...CORE },
  './chain': { files: 4, bytes: 201_500, ...CORE },
  './otel': { files: 3, bytes: 93_500, builtins: OTEL_BUILTINS, packages: ['@opentelemetry/api'] },
  './client': { files: 3, bytes: 104_000, ...CORE },
  './testing': { files: 3, bytes: 86_000, ...CORE },
};
