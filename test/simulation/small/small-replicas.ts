import type { Receiver } from '../../../src/receiver/receiver.js';
import type { IdempotencyStore } from '../../../src/stores/store.js';
import { eventOf } from '../models/events.js';
import { SECRET } from '../models/sender.js';
import type { Subject } from '../subject/load.js';
import type { KeyLedger } from './key-ledger.js';
import type { SmallProcess } from './small-process.js';
import type { Option, SmallWorld } from './small-world.js';

export interface ReplicaOptions {
  readonly names: readonly string[];
  readonly storeOf: (process: SmallProcess) => IdempotencyStore;
  readonly handlerTimeoutMs: number;
  /** How often the sender sends the one event. */
  readonly deliveries: number;
}

/** Adds replicas of the real receiver, and a sender that delivers one event to them, again and again. Returns their start. */
export function addReplicas(
  world: SmallWorld,
  subject: Subject,
  ledger: KeyLedger,
  options: ReplicaOptions,
): () => void {
  const body = JSON.stringify([eventOf('a')]);
  const timestamp = '1767225600';
  const { signature } = subject.signDelivery(body, { secret: SECRET, timestamp: Number(timestamp) });
  const receivers = new Map<SmallProcess, Receiver>();
  const processes = options.names.map((name) => world.smallProcess(name));
  let deliveries = 0;

  const boot = (process: SmallProcess) => () =>
    process.boot(() => {
      receivers.set(process, createReceiver(process));
    });

  function createReceiver(process: SmallProcess): Receiver {
    return subject.createReceiver({
      secret: SECRET,
      toleranceSeconds: false,
      store: options.storeOf(process),
      handlerTimeoutMs: options.handlerTimeoutMs,
      onEvent: () => {
        const claim = ledger.begin(process);
        return new Promise<void>((resolve, reject) => {
          const settle = (what: string, act: () => void) => () => {
            process.running.splice(process.running.indexOf(run), 1);
            process.observe(`${what} of ${claim.owner}`, act);
          };
          const succeed = settle('success', () => {
            ledger.effect(claim);
            resolve();
          });
          const run = { claim, succeed, fail: settle('failure', () => reject(new Error('The handler fails.'))) };
          process.running.push(run);
        });
      },
    });
  }

  const deliver = (process: SmallProcess) => () => {
    deliveries++;
    process.observe('delivery', () => {
      void receivers
        .get(process)
        ?.handle({ rawBody: body, signature, timestamp })
        .then(({ status }) => {
          world.history.add(process.name, `answers ${status}`);
          if (status === 200) ledger.acknowledged(process);
        })
        .catch(() => {});
    });
  };

  function optionsOf(process: SmallProcess): Option[] {
    const { name } = process;
    if (process.state === 'down') return [{ name: `${name}: starts`, act: boot(process) }];
    if (process.isFrozen) return [];
    const possible: Option[] = [];
    if (deliveries < options.deliveries) possible.push({ name: `${name}: gets a delivery`, act: deliver(process) });
    for (const { succeed, fail } of process.running) {
      possible.push({ name: `${name}: the handler succeeds`, act: succeed });
      if (!world.mayFail) continue;
      possible.push({
        name: `${name}: the handler fails`,
        act() {
          world.fault();
          fail();
        },
      });
    }
    return possible;
  }

  world.add({ options: () => processes.flatMap(optionsOf), state: () => `${deliveries}` });
  return () => {
    for (const process of processes) boot(process)();
    // The replicas are alike: the first delivery may as well go to the first one.
    const [first] = processes;
    if (first) deliver(first)();
  };
}
