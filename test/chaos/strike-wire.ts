import { monotonic, sleep } from './clock.js';
import type { Fault, Step } from './faults.js';
import type { Log } from './log.js';
import type { Mode, ServerName } from './modes.js';
import type { Replica } from './replica.js';
import type { Link } from './wire.js';

interface Asking {
  readonly server: ServerName;
  readonly request: RegExp;
}

/** What the store asks its server for, to know its answers by. */
const asks = {
  postgres: {
    'claim-answer': /INSERT INTO "keys_[\s\S]*RETURNING 'claimed/,
    'record-answer': /INSERT INTO "keys_[\s\S]*VALUES \('[^']*', '[^']*', true|COMMIT/,
  },
  redis: {
    'claim-answer': /\r\nnx\r\n|return 'claimed'/i,
    'record-answer': /'done:' \.\./,
  },
} as const;

/** Whether a step is known by what goes over the wire, as it happens while the process waits for an answer. */
export function isOnWire(mode: Mode, step: Step): step is 'claim-answer' | 'record-answer' {
  const isWired = mode.store !== 'memory' && mode.store !== 'sqlite';
  return isWired && (step === 'claim-answer' || step === 'record-answer');
}

/** What a process waits for at a step: of its store, or whatever it is of the engine. */
function askingOf(mode: Mode, { kind, victim }: Fault, step: 'claim-answer' | 'record-answer'): Asking {
  if (mode.engine && (victim === 'receiver' || kind === 'half-open')) {
    return { server: mode.engine === 'bullmq' ? 'redis' : 'postgres', request: /./ };
  }
  const server = mode.store === 'redis' ? 'redis' : 'postgres';
  return { server, request: asks[server][step] };
}

/** Pauses the process, cuts its connection or leaves it half-open, while an answer is on its way to it. */
export async function strikeWire(
  replica: Replica,
  mode: Mode,
  fault: Fault,
  log: Log,
  withinMs: number,
): Promise<Step> {
  const { kind, step, ms } = fault;

  async function hit(link: Link, answer?: Buffer): Promise<void> {
    if (kind === 'pause') {
      const frozen = replica.freeze(ms);
      if (answer) link.hand(answer);
      return frozen;
    }
    const at = monotonic();
    log.outages.push({ kind, victim: replica.name, pid: replica.running?.pid, from: at, to: at });
    if (kind === 'cut') link.cut();
    else link.goHalfOpen();
  }

  if (isOnWire(mode, step)) {
    const { server, request } = askingOf(mode, fault, step);
    let disarm = () => {};
    const struck = new Promise<Promise<void>[]>((resolve) => {
      disarm = replica.wires[server].atAnswer(request, (link, answer) => resolve([hit(link, answer)]));
    });
    const hits = await Promise.race([struck, sleep(withinMs)]);
    disarm();
    if (hits) {
      await Promise.all(hits);
      return step;
    }
  }
  if (kind === 'pause') await replica.freeze(ms);
  else {
    const { postgres, redis } = replica.wires;
    const wires = kind === 'half-open' ? [redis] : [postgres, redis];
    for (const link of wires.flatMap((wire) => [...wire.links])) void hit(link);
  }
  return 'now';
}
