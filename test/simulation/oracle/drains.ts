import type { Receiver } from '../../../src/receiver/receiver.js';
import type { IdempotencyStore } from '../../../src/stores/store.js';
import type { Process } from '../kernel/process.js';
import type { World } from '../kernel/world.js';
import type { Ledger, Run } from './ledger.js';

/** Drains replicas, and holds `drain` to what it promises. */
export class Drains {
  /** The lives whose drain has resolved with nothing left. */
  readonly #drained = new Set<string>();

  /** `unrecordedOf`: the keys whose records a process would lose if it ended now. */
  constructor(
    private readonly world: World,
    private readonly ledger: Ledger,
    private readonly unrecordedOf: (process: Process) => readonly string[] = () => [],
  ) {}

  /** Drains, and calls `then` in the turn in which it has resolved. */
  drain(
    process: Process,
    receiver: Receiver,
    timeoutMs: number,
    then: () => void,
    store?: Pick<IdempotencyStore<never>, 'unrecorded'>,
  ): void {
    const world = this.world;
    const { life } = process;
    world.history.add(process.name, 'drains', { timeoutMs });
    process.deliver(0, () => {
      const beganAt = process.time;
      receiver
        .drain({ timeoutMs })
        .then(
          ({ unfinished }) => {
            world.history.add(process.name, 'is drained', { unfinished });
            const running = this.ledger.runs.filter((run) => run.life === life && this.#runsIn(run, process));
            if (unfinished === 0 && running.length > 0) {
              const ids = running.map(({ id }) => id).join(', ');
              world.fail('drained too early', `The handlers of ${ids} still run in ${process.name}.`);
            }
            const pending = store?.unrecorded?.().length ?? 0;
            if (unfinished === 0 && pending > 0) {
              world.fail('drained too early', `${pending} records of ${process.name} are still retried.`);
            }
            const lost = unfinished === 0 ? this.unrecordedOf(process) : [];
            if (lost.length > 0) {
              world.fail('drained too early', `The server has no record of ${lost.join(', ')} in ${process.name}.`);
            }
            if (unfinished > 0 && process.time - beganAt < timeoutMs - 2) {
              world.fail('drained too early', `${unfinished} are left before its limit of ${timeoutMs} ms is over.`);
            }
            // A process that was frozen is late without being at fault.
            const frozen = process.pauses.some(({ to }) => to >= beganAt);
            if (!frozen && process.time - beganAt > timeoutMs + 100) {
              world.fail('drain does not end', `It took ${process.time - beganAt} ms with a limit of ${timeoutMs} ms.`);
            }
            if (unfinished === 0) this.#drained.add(`${process.name} ${life}`);
            then();
          },
          (error: unknown) => {
            world.fail('drain rejected', String(error));
          },
        )
        .catch(() => {});
      const check = () => {
        // A process that is frozen, which may be within a turn, has the time again once it wakes.
        const frozenUntil = Math.max(0, ...process.pauses.map(({ to }) => to));
        if (frozenUntil > world.now) return void world.after(frozenUntil - world.now + timeoutMs, check);
        const isOver =
          process.life !== life || process.state === 'down' || this.#drained.has(`${process.name} ${life}`);
        if (!isOver && process.state === 'running') world.fail('drain does not end', `${process.name} still drains.`);
      };
      world.after(timeoutMs * 20, check);
    });
  }

  /** Called for each run that begins. */
  began({ process, life, id }: Run): void {
    if (this.#drained.has(`${process.name} ${life}`)) {
      this.world.fail('began after drain', `The handler of ${id} began although ${process.name} was drained.`);
    }
  }

  #runsIn(run: Run, process: Process): boolean {
    return run.process === process && this.ledger.isRunning(run);
  }
}
