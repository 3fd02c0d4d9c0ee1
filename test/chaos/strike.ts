import type { TestServer } from '../servers/server.js';
import type { Chain, Trouble } from './chain/chain.js';
import { monotonic, sleep } from './clock.js';
import type { Fault, Step } from './faults.js';
import type { Log, Outage } from './log.js';
import type { Order } from './messages.js';
import type { Mode } from './modes.js';
import type { Replica } from './replica.js';
import type { Ground } from './scenario.js';
import { endSession } from './sessions.js';
import { isOnWire, strikeWire } from './strike-wire.js';

/** What something can happen to. */
export interface Targets {
  readonly receivers: readonly Replica[];
  readonly workers: readonly Replica[];
  readonly servers: Ground['servers'];
  readonly chain: Chain | undefined;
}

/** How long a process is given to come to the step where it is to be struck. */
const STEP_MS = 1000;
/** How long a process may take to end after a SIGTERM. */
const ENDING_MS = 15_000;

/** Makes what is planned happen. Two things never happen to the same victim at once: the second waits. */
export function createStriker(mode: Mode, { receivers, workers, servers, chain }: Targets, log: Log) {
  const turns = new Map<string, Promise<void>>();

  function inTurn(victim: string, work: () => Promise<void>): Promise<void> {
    const turn = (turns.get(victim) ?? Promise.resolve()).then(work);
    turns.set(victim, turn);
    return turn;
  }

  /** Resolves when it is over; gives the step at which it happened. */
  async function strike(replica: Replica, fault: Fault): Promise<Step> {
    const { kind, step, ms } = fault;
    const isWired = isOnWire(mode, step);
    if (kind === 'cut' || kind === 'half-open' || (kind === 'pause' && isWired)) {
      return strikeWire(replica, mode, fault, log, STEP_MS);
    }
    if (kind === 'pause') return atStep(replica, { act: 'stop', at: step, ms }, () => replica.freeze(ms));
    if (kind === 'session') return strikeSession(replica);
    if (kind === 'clock') return stepClock(replica, fault);

    const [act, signal, downMs] =
      kind === 'kill' ? (['kill', 'SIGKILL', ms] as const) : (['term', 'SIGTERM', 20] as const);
    const ended = replica.end(downMs);
    const struck = isWired
      ? await strikeWire(replica, mode, fault, log, STEP_MS)
      : await atStep(replica, { act, at: step, ms }, async () => replica.signal(signal));
    const timer = setTimeout(() => {
      log.broken.push({ what: `${replica.name} did not end within ${ENDING_MS} ms of ${signal}`, ids: [] });
      replica.signal('SIGKILL');
    }, ENDING_MS);
    await ended;
    clearTimeout(timer);
    return struck;
  }

  async function stepClock(replica: Replica, { step, ms }: Fault): Promise<Step> {
    const from = monotonic();
    const outage: Outage = { kind: 'clock', victim: replica.name, from, to: Number.POSITIVE_INFINITY };
    log.outages.push(outage);
    const order = { act: 'clock', at: step, ms } as const;
    const struck = await atStep(replica, order, () => replica.order({ ...order, at: 'now' }));
    outage.to = monotonic();
    return struck;
  }

  async function strikeSession(replica: Replica): Promise<Step> {
    const server = mode.store === 'mariadb' ? 'mariadb' : 'postgres';
    const ports = () => [...replica.wires[server].links].flatMap(({ port }) => port ?? []);
    const from = monotonic();
    const pid = replica.running?.pid;
    const step = await endSession(server, servers[server], ports, mode.orm === 'postgres-js', STEP_MS);
    if (step) log.outages.push({ kind: 'session', victim: replica.name, pid, from, to: monotonic() });
    return step ?? 'now';
  }

  return async (fault: Fault): Promise<void> => {
    const { kind, victim, index, ms } = fault;
    if (victim === 'node') {
      await inTurn(victim, () => troubleNode(chain, fault, log));
      log.faults.push({ kind, victim, step: fault.step });
      return;
    }
    if (victim !== 'receiver' && victim !== 'worker') {
      await inTurn(victim, () => killServer(victim, servers[victim], ms, log));
      log.faults.push({ kind, victim, step: 'now' });
      return;
    }
    const replica = (victim === 'worker' ? workers : receivers)[index];
    if (replica === undefined) throw new RangeError(`There is no ${victim} ${index}.`);
    await inTurn(replica.name, async () => {
      await replica.ready();
      log.faults.push({ kind, victim, step: await strike(replica, fault) });
    });
  };
}

/** At the planned step, or wherever it is when it does not come by it in time. */
async function atStep(replica: Replica, order: Order, now: () => Promise<void>): Promise<Step> {
  if (order.at !== 'now') {
    const obeyed = replica.order(order).then(() => true);
    if (
      await Promise.race([obeyed, sleep(STEP_MS + (order.act === 'stop' ? order.ms + STEP_MS : 0)).then(() => false)])
    ) {
      return order.at;
    }
    replica.withdraw();
  }
  await now();
  return 'now';
}

async function troubleNode(chain: Chain | undefined, { kind, step, ms }: Fault, log: Log): Promise<void> {
  const outage: Outage = { kind, victim: 'node', from: monotonic(), to: Number.POSITIVE_INFINITY };
  log.outages.push(outage);
  chain?.trouble(step as Trouble, ms);
  await sleep(ms);
  outage.to = monotonic();
}

async function killServer(name: string, server: TestServer, downMs: number, log: Log): Promise<void> {
  const outage: Outage = { kind: 'kill', victim: name, from: monotonic(), to: Number.POSITIVE_INFINITY };
  log.outages.push(outage);
  await server.kill();
  await sleep(downMs);
  await server.restart();
  outage.to = monotonic();
}
