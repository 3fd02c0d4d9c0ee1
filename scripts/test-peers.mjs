// `npm run test:tier peers`: the suites of the queues and stores once more, with the versions of the optional peers that
// test/peers pins: other majors than those of package.json, and the lower ends of ranges, on the Node that they need. Fetches both through npm, builds, and runs
// the suites, or those that the arguments name. `--install` only fetches; `--built` does not build again.
import { pathToFileURL } from 'node:url';
import { installPins, isInstalled, readJson, root, run } from './install-pins.mjs';

const peers = `${root}test/peers`;
const runtimes = `${root}test/runtimes`;
const node22 = ['node22', readJson(`${runtimes}/package.json`).dependencies.node22];

/** pg-boss 12 needs Node 22.12. */
function isNewEnough() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  return major > 22 || (major === 22 && minor >= 12);
}

const args = process.argv.slice(2).filter((arg) => arg !== '--built');
const hasRuntime = isInstalled(runtimes, node22);
await installPins(peers, isNewEnough() || hasRuntime ? [] : [node22]);
if (!args.includes('--install')) {
  const node = isNewEnough() ? process.execPath : `${hasRuntime ? runtimes : peers}/node_modules/node22/bin/node`;
  if (!process.argv.includes('--built')) {
    await run('npm', ['run', '--silent', 'build:js']);
  }
  // Those in which a peer with another version runs. BullMQ and Upstash have none.
  const suites = [
    'test/queues/dead-letters.test.ts',
    'test/queues/finality.test.ts',
    ...['enqueue.test', 'postgres', 'send-again', 'worker'].map((name) => `test/queues/pg-boss/${name}`),
    'test/queues/bullmq/redis.test.ts',
    ...['cluster', 'cut', 'half-open', 'redis', 'server', 'warning'].map((name) => `test/stores/redis/${name}`),
    'test/stores/sql/orms/orms-postgres.test.ts',
    'test/stores/sql/orms/orms-mysql.test.ts',
    'test/stores/sql/orms/habits.test.ts',
    'test/stores/sql/postgres/pglite.test.ts',
    'test/stores/sql/postgres/postgres-js.test.ts',
    'test/stores/sql/sqlite/sqlite-synchronous.slow.test.ts',
    'test/peers',
  ];
  const { COVERAGE, ...env } = process.env;
  await run(node, [`${root}node_modules/vitest/vitest.mjs`, 'run', ...(args.length > 0 ? args : suites)], {
    env: { ...env, TEST_PEERS: '1', NODE_OPTIONS: `--import=${pathToFileURL(`${peers}/resolve.mjs`)}` },
  });
}
