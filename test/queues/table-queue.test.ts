import { describe, expect, it } from 'vitest';
import { queueContract } from '../../devtools/src/queue-contract/index.js';
import { hasPostgres, needsPostgres, startPostgres } from '../servers/postgres.js';
import { useServer } from '../servers/use-server.js';
import { engineContract, workerCommand } from './contract.js';
import { refuseUnstorable } from './engines.js';
import { DEFECTS, type Defect, openTable } from './table-queue.js';

const full = (url: string, queue: string) => refuseUnstorable(url, `"${queue}"`);

describe.skipIf(!hasPostgres)(`a queue that was written from docs/queues/recipes.md${needsPostgres}`, () => {
  engineContract({ start: startPostgres, name: 'openTable', deduplicates: false, full });
});

describe.skipIf(!hasPostgres)(`queueContract finds a queue that${needsPostgres}`, { timeout: 200_000 }, () => {
  const shared = useServer(startPostgres);

  it.concurrent.each(Object.keys(DEFECTS) as Defect[])('%s', async (defect) => {
    const [title, message] = DEFECTS[defect];
    const server = title.includes('crash') || title.includes('frozen') ? await startPostgres() : shared();
    const cases: Record<string, () => Promise<void>> = {};
    queueContract((queue, settings) => openTable(server.url, queue, settings, defect), {
      test: (name, run) => Object.assign(cases, { [name]: run }),
      server: () => server,
      worker: () => workerCommand('openTable', server.url, defect),
      full: (queue) => full(server.url, queue),
      waitMs: 10_000,
    });
    const [run] = Object.entries(cases).flatMap(([name, each]) => (name.includes(`: ${title}`) ? [each] : []));
    try {
      await expect(run?.()).rejects.toThrow(message);
    } finally {
      if (server !== shared()) await server.stop();
    }
  });
});
