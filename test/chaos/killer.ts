import type { TestServer } from '../servers/server.js';
import type { Log } from './log.js';
import type { ServerName } from './modes.js';
import type { Kill } from './plan.js';
import type { Replica } from './replica.js';

/** What can be killed. */
export interface Targets {
  readonly receivers: readonly Replica[];
  readonly workers: readonly Replica[];
  readonly servers: Readonly<Record<ServerName, TestServer>>;
}

/** Kills as planned. Nothing is killed twice at the same time: the second waits until it is back. */
export function createKiller({ receivers, workers, servers }: Targets, log: Log) {
  const turns = new Map<string, Promise<void>>();

  /** After whatever is being done to the same victim. */
  function inTurn(victim: string, work: () => Promise<void>): Promise<void> {
    const turn = (turns.get(victim) ?? Promise.resolve()).then(work);
    turns.set(victim, turn);
    return turn;
  }

  return async ({ victim, index, step, downMs }: Kill): Promise<void> => {
    if (victim === 'postgres' || victim === 'redis') {
      await inTurn(victim, () => killServer(victim, servers[victim], downMs, log));
    } else {
      const replica = (victim === 'worker' ? workers : receivers)[index];
      await inTurn(`${victim} ${index}`, async () => replica?.kill(step, downMs));
    }
    log.kills[victim] = (log.kills[victim] ?? 0) + 1;
  };
}

async function killServer(name: string, server: TestServer, downMs: number, log: Log): Promise<void> {
  const from = Date.now();
  const death = { victim: name, from, to: Number.POSITIVE_INFINITY };
  log.deaths.push(death);
  await server.kill();
  await new Promise((resolve) => setTimeout(resolve, downMs));
  await server.restart();
  death.to = Date.now();
}
