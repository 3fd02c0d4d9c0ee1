import { Choices } from '../kernel/choices.js';
import type { Process } from '../kernel/process.js';
import { World } from '../kernel/world.js';
import type { LeaseCall } from './lease-claims.js';
import { Leases, type Told } from './leases.js';
import { Ledger, type Run } from './ledger.js';

const KEY = 'event.emitted:a';
export const LEASE_MS = 1000;
const TIMEOUT_MS = 400;

/** Two replicas whose story a test tells: what they ask, what the server does, and what they are told. */
export class Story {
  readonly world = new World(Choices.ofTape([]));
  readonly ledger = new Ledger(this.world);
  readonly server = this.world.server('store');
  readonly one = this.#start('one');
  readonly two = this.#start('two');
  readonly #leases = new Leases(this.world, this.ledger, {
    leaseMs: LEASE_MS,
    timeoutMs: TIMEOUT_MS,
    handlerMs: 700,
    server: this.server,
    pausesInSilence: false,
  });

  #start(name: string): Process {
    const process = this.world.process(name);
    process.start(() => {});
    return process;
  }

  at(ms: number, act: () => void): this {
    this.world.after(ms, act);
    return this;
  }

  /** A turn of a process. */
  turn(process: Process, ms: number, act: () => void): this {
    return this.at(ms, () => process.turn(process.life, act));
  }

  ask(process: Process, call: LeaseCall, owner: string): Told {
    return this.#leases.asked(process, call, [KEY], [owner]);
  }

  serve(call: LeaseCall, owner: string, word: unknown): void {
    this.#leases.served(call, KEY, owner, word);
  }

  begin(process: Process, token?: bigint): Run {
    const run = this.ledger.begin(process, 'a', KEY);
    this.#leases.began(run, token);
    return run;
  }

  acknowledge(): void {
    this.#leases.acknowledged([KEY]);
  }

  /** A claim that is asked for at `ms`, granted 1 ms and told 2 ms later. Then its handler begins. */
  claim(process: Process, owner: string, ms: number, word: unknown = 'claimed', token?: bigint): { run?: Run } {
    const result: { run?: Run } = {};
    let told: Told | undefined;
    this.turn(process, ms, () => {
      told = this.ask(process, 'claim', owner);
    });
    this.at(ms + 1, () => this.serve('claim', owner, word));
    this.turn(process, ms + 2, () => {
      told?.answered([word]);
      if (word === 'claimed' || typeof word === 'bigint') result.run = this.begin(process, token);
    });
    return result;
  }

  /** Its event takes effect and its handler ends. What is asked then arrives 1 ms later, unless it is lost. */
  end(process: Process, owner: string, { run }: { run?: Run }, how: End): void {
    if (run === undefined) throw new Error('It has not begun.');
    this.ledger.effect(run);
    this.ledger.end(run, how === 'fails' ? 'rejected' : 'resolved');
    if (how === 'forgets') return;
    const call = how === 'succeeds' || how === 'its record is lost' ? 'complete' : 'release';
    const told = this.ask(process, call, owner);
    if (how === 'its record is lost') return;
    this.at(1, () => this.serve(call, owner, call === 'complete' ? 'recorded' : 'released'));
    this.turn(process, 2, () => told.answered(['recorded']));
  }

  /** The invariant that breaks, and what broke it. */
  async breaks(): Promise<string | undefined> {
    try {
      await this.world.run();
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  }
}

export type End = 'succeeds' | 'fails' | 'its record is lost' | 'forgets' | 'is released';
