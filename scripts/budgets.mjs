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

const CLIENTS = ['@aws-sdk', 'ioredis', 'redis', '@upstash/redis', 'bullmq', 'pg-boss', 'pg', 'postgres', 'libsql'];
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
  // With dead letters, the records of `memoryStore`, `status`, and what `reorgs` needs of a receiver: its passes are in ./chain.
  '.': { node: 21_850, edge: 25_050, foreign: FOREIGN },
  './verify': { node: 1550, edge: 4500, foreign: FOREIGN },
  './schemas': { node: 20_200, edge: 20_200, foreign: [...OPTIONAL, ...OPENTELEMETRY] },
  './express': { node: 21_400, foreign: FOREIGN, mentions: ['express', 'pg'] },
  './fastify': { node: 21_650, foreign: FOREIGN, mentions: ['fastify', 'pg'] },
  './fetch': { node: 21_600, edge: 24_800, foreign: FOREIGN },
  './lambda': { node: 21_250, foreign: FOREIGN },
  './node': { node: 21_550, foreign: FOREIGN },
  // Since they keep dead letters: for Redis half of that is scripts.
  './stores/dynamodb': { node: 10_500, edge: 13_000, foreign: FOREIGN, mentions: ['@aws-sdk'] },
  './stores/leased': { node: 4150, edge: 6600, foreign: FOREIGN },
  './stores/redis': { node: 8200, edge: 10_700, foreign: FOREIGN, mentions: ['ioredis', 'redis', '@upstash/redis'] },
  // With the record of each event, and logs that follow a chain.
  './stores/sql': { node: 27_550, edge: 30_050, foreign: FOREIGN, mentions: ['pg', 'postgres', 'libsql'] },
  './queues': { node: 9150, edge: 11_600, foreign: FOREIGN },
  // With the dead letters of the queue.
  './queues/bullmq': { node: 11_000, foreign: FOREIGN, mentions: ['bullmq'] },
  './queues/pg-boss': { node: 11_750, foreign: FOREIGN, mentions: ['pg-boss'] },
  './evm': { node: 12_700, edge: 12_700, foreign: FOREIGN, mentions: ['viem', 'pg'] },
  // With what followed re-orgs.
  './otel': { node: 4700, foreign: OTHERS, external: OPENTELEMETRY },
  './client': { node: 11_100, edge: 11_100, foreign: FOREIGN },
  // With the stages of finality and of `reorgs`, which the root does not have.
  './chain': { node: 38_200, edge: 38_100, foreign: FOREIGN, mentions: ['viem', 'pg'] },
  './chain/file-cursor': { node: 1900, foreign: FOREIGN },
  './testing': {
    node: 12_700,
    edge: 14_900,
    foreign: FOREIGN,
    mentions: ['viem'],
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
  '.': { files: 4, bytes: 133_000, ...CORE },
  './verify': { files: 2, bytes: 6500, ...CORE },
  './schemas': { files: 1, bytes: 11_500, builtins: [], packages: ['zod'] },
  './express': { files: 5, bytes: 139_500, ...CORE },
  './fastify': { files: 5, bytes: 140_500, ...CORE },
  './fetch': { files: 5, bytes: 140_000, ...CORE },
  './lambda': { files: 5, bytes: 136_000, ...CORE },
  './node': { files: 5, bytes: 140_000, ...CORE },
  './stores/dynamodb': { files: 4, bytes: 162_500, ...CORE },
  './stores/leased': { files: 4, bytes: 134_000, ...CORE },
  './stores/redis': { files: 4, bytes: 154_000, ...CORE },
  './stores/sql': { files: 4, bytes: 248_500, ...CORE },
  './queues': { files: 5, bytes: 142_000, ...CORE },
  './queues/bullmq': { files: 5, bytes: 149_000, ...CORE },
  './queues/pg-boss': { files: 5, bytes: 153_500, ...CORE },
  './evm': { files: 5, bytes: 185_500, ...CORE },
  // With what is odd about chains that differ from Ethereum, and what blocks them.
  './chain': { files: 5, bytes: 322_000, ...CORE },
  './chain/file-cursor': {
    files: 4,
    bytes: 136_500,
    builtins: [...CORE.builtins, 'node:fs/promises', 'node:path'],
    packages: [],
  },
  './otel': { files: 4, bytes: 148_000, builtins: OTEL_BUILTINS, packages: ['@opentelemetry/api'] },
  './client': { files: 4, bytes: 157_500, ...CORE },
  './testing': { files: 5, bytes: 200_500, ...CORE },
};
