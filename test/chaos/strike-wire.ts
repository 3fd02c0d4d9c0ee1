import { monotonic, sleep } from './clock.js';
import type { Fault, Step } from './faults.js';
import type { Log } from './log.js';
import { type Mode, type ServerName, wiresOf } from './modes.js';
import type { Replica } from './replica.js';
import type { Link } from './wire.js';

interface Asking {
  readonly server: ServerName;
  readonly request: RegExp;
}

/** What the store asks its server for. */
const asks = {
  postgres: {
    claim: /INSERT INTO \S*"keys_[\s\S]*txid_current/,
    record: /INSERT INTO \S*"keys_(?![\s\S]*txid_current)|SET state = 'done'|COMMIT/,
  },
  mariadb: {
    claim: /INSERT INTO \S*`keys_[^;]*'lease'|GET_LOCK/,
    record: /INSERT INTO \S*`keys_[^;]*'done'|SET state = 'done'|SET autocommit = IF/,
  },
  redis: {
    claim: /'claimed'/,
    record: /'recorded'/,
  },
  dynamodb: {
    claim: /#claimedAt = /,
    record: /#doneAt = /,
  },
} as const;

/** Steps that are known by what goes over the wire. */
const wireSteps = {
  'claim-answer': ['claim', 'answer'],
  'record-request': ['record', 'request'],
  'record-answer': ['record', 'answer'],
} as const;
type WireStep = keyof typeof wireSteps;

/** Whether a step is known by what goes over the wire, and the mode has one. */
export function isOnWire(mode: Mode, step: Step): step is WireStep {
  return wiresOf(mode).length > 0 && Object.hasOwn(wireSteps, step);
}

/** What a process asks for at a step: something of its store, or anything of the engine. */
function askingOf(mode: Mode, { kind, victim }: Fault, step: WireStep): Asking {
  if (mode.engine && (victim === 'receiver' || kind === 'half-open')) {
    return { server: mode.engine === 'bullmq' ? 'redis' : 'postgres', request: /./ };
  }
  const server = mode.store as ServerName;
  return { server, request: asks[server][wireSteps[step][0]] };
}

/**
 * Strikes while something is on the wire: pauses the process and hands over the answer, cuts the connection, leaves it
 * half-open, or cuts it and ends the process. What was on the wire is lost otherwise.
 */
export async function strikeWire(
  replica: Replica,
  mode: Mode,
  fault: Fault,
  log: Log,
  withinMs: number,
): Promise<Step> {
  const { kind, step, ms } = fault;

  async function hit(link: Link, bytes?: Buffer): Promise<void> {
    if (kind === 'pause') {
      const frozen = replica.freeze(ms);
      if (bytes) link.hand(bytes);
      return frozen;
    }
    if (kind === 'sigterm') {
      link.cut();
      return replica.signal('SIGTERM');
    }
    const at = monotonic();
    log.outages.push({ kind, victim: replica.name, pid: replica.running?.pid, from: at, to: at });
    if (kind === 'cut') link.cut();
    else link.goHalfOpen();
  }

  if (isOnWire(mode, step)) {
    const { server, request } = askingOf(mode, fault, step);
    const [, side] = wireSteps[step];
    let disarm = () => {};
    const struck = new Promise<Promise<void>[]>((resolve) => {
      disarm = replica.wires[server].trap(side, request, (link, bytes) => resolve([hit(link, bytes)]));
    });
    const hits = await Promise.race([struck, sleep(withinMs)]);
    disarm();
    if (hits) {
      await Promise.all(hits);
      return step;
    }
  }
  if (kind === 'pause') await replica.freeze(ms);
  else if (kind === 'sigterm') replica.signal('SIGTERM');
  else {
    const wires = wiresOf(mode).map((server) => replica.wires[server]);
    for (const link of wires.flatMap(({ links }) => [...links])) void hit(link);
  }
  return 'now';
}
