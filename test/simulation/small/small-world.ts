import { createHash } from 'node:crypto';
import { Choices } from '../kernel/choices.js';
import { World } from '../kernel/world.js';
import type { Decide } from '../search/exhaustive.js';
import type { Subject } from '../subject/load.js';
import { SmallProcess } from './small-process.js';

/** Something that can happen next. */
export interface Option {
  readonly name: string;
  act(): void;
}

/** A world that is small enough for an exhaustive search. */
export interface SmallDefinition {
  readonly name: string;
  /** How many steps deep `.ci/run` explores it. */
  readonly depth: number;
  /** Plays one way from the start. */
  play(subject: Subject, decide: Decide): Promise<void>;
}

/** A request or an answer under way. It arrives at any time, or never. */
interface Message {
  readonly text: string;
  readonly process: SmallProcess;
  readonly life: number;
  /** Undefined while it is a request. */
  readonly answer: ((isLost: boolean) => void) | undefined;
  arrive(): void;
}

/**
 * A world in which the search decides what happens next, for exhaustive exploration. Time is abstract: it passes from one
 * bound that matters (a timer of a process that is not frozen, the end of a lease) to the next, and messages take any time.
 * States are equal if all that is to come is equally far away.
 */
export class SmallWorld extends World {
  readonly small: SmallProcess[] = [];
  readonly #messages: Message[] = [];
  /** Further options, bounds of time, and parts of the state. */
  readonly #options: (() => readonly Option[])[] = [];
  readonly #bounds: (() => readonly number[])[] = [];
  readonly #state: (() => string)[] = [];
  #faults = 0;

  /** @param most How many faults: crashes, freezes, lost answers of which the client learns, handlers that fail. */
  constructor(private readonly most: number) {
    super(Choices.ofTape([]));
  }

  add(part: {
    options?: () => readonly Option[];
    /** Times at which something expires. */
    bounds?: () => readonly number[];
    state?: () => string;
  }): void {
    if (part.options) this.#options.push(part.options);
    if (part.bounds) this.#bounds.push(part.bounds);
    if (part.state) this.#state.push(part.state);
  }

  /** Whether another fault may happen. */
  get mayFail(): boolean {
    return this.#faults < this.most;
  }

  fault(): void {
    this.#faults++;
  }

  smallProcess(name: string): SmallProcess {
    const process = new SmallProcess(this, name);
    this.small.push(process);
    return process;
  }

  override uuid(): string {
    return (this.current as SmallProcess).uuid();
  }

  /**
   * Asks a server, which serves the request in one atomic step whenever it arrives. `hear` is called in the turn in which
   * the process hears the answer.
   */
  ask<T>(process: SmallProcess, text: string, serve: () => T, hear: (value: T) => void = () => {}): Promise<T> {
    const { life } = process;
    return new Promise((resolve, reject) => {
      const arrive = () => {
        const value = serve();
        const said = `${text}: ${textOf(value)}`;
        const answer = (isLost: boolean) => {
          process.observe(isLost ? `lost ${text}` : said, () => {
            if (isLost) reject(new Error('The connection broke.'));
            else {
              hear(value);
              resolve(value);
            }
          });
        };
        this.#messages.push({ text: said, process, life, answer, arrive: () => answer(false) });
      };
      this.#messages.push({ text, process, life, answer: undefined, arrive });
    });
  }

  /** How long it is until then; 0 if that is over. */
  until(time: number): number {
    return Math.max(0, time - this.now);
  }

  /** Plays one way. */
  play(start: () => void, decide: Decide): Promise<void> {
    const next = () => {
      const options = this.#possible();
      const index = decide(options, () => this.#fingerprint());
      const chosen = index === undefined ? undefined : options[index];
      if (chosen === undefined) return;
      this.history.add('', chosen.name);
      chosen.act();
      this.after(0, next);
    };
    this.after(0, start);
    this.after(0, next);
    return this.run();
  }

  #possible(): Option[] {
    const options: Option[] = [];
    for (const message of this.#messages) options.push(...this.#fates(message));
    for (const process of this.small) {
      const isDue = process.isLive && process.nextDue() <= this.now;
      if (isDue) options.push({ name: `${process.name}: a timer fires`, act: () => process.fireNext() });
      options.push(...this.#faultsOf(process));
    }
    for (const more of this.#options) options.push(...more());
    const bound = this.#nextBound();
    if (bound !== undefined) {
      options.push({
        name: `time passes to ${bound}`,
        act: () => {
          this.now = bound;
        },
      });
    }
    return options;
  }

  #fates(message: Message): Option[] {
    const { text, process, life, answer } = message;
    const isGone = process.life !== life || process.state === 'down';
    // A dead process hears no answer, but its requests still arrive.
    if (answer && (isGone || process.isFrozen)) return [];
    const take = (act: () => void) => () => {
      this.#messages.splice(this.#messages.indexOf(message), 1);
      act();
    };
    const options = [{ name: `${process.name}: ${text} arrives`, act: take(() => message.arrive()) }];
    if (!answer && !isGone && !process.isFrozen) {
      const exchange = () => {
        message.arrive();
        this.#messages.pop()?.arrive();
      };
      options.unshift({ name: `${process.name}: ${text} arrives, and its answer`, act: take(exchange) });
    }
    if (answer && this.mayFail) {
      const lose = () => {
        this.fault();
        answer(true);
      };
      options.push({ name: `${process.name}: ${text} is lost`, act: take(lose) });
    }
    return options;
  }

  #faultsOf(process: SmallProcess): Option[] {
    const { name } = process;
    if (process.state !== 'running') return [];
    const options: Option[] = [];
    if (process.isFrozen) {
      // A freeze in which no time passes is none.
      if (process.frozenAt === this.now) return [];
      options.push({
        name: `${name}: wakes`,
        act: () => {
          process.isFrozen = false;
        },
      });
    } else if (this.mayFail && !this.#isIdle(process)) {
      options.push({
        name: `${name}: is frozen`,
        act: () => {
          this.fault();
          process.isFrozen = true;
          process.frozenAt = this.now;
        },
      });
    }
    if (this.mayFail && !this.#isIdle(process)) {
      options.push({
        name: `${name}: crashes`,
        act: () => {
          this.fault();
          process.crash();
        },
      });
    }
    return options;
  }

  /** Whether a process has nothing under way, so that no fault would make a difference. */
  #isIdle(process: SmallProcess): boolean {
    const isWaiting = this.#messages.some((message) => message.process === process && message.life === process.life);
    return !isWaiting && process.running.length === 0 && process.nextDue() === Number.POSITIVE_INFINITY;
  }

  /** The next time at which anything changes; undefined if something is due now that does not wait, or nothing is. */
  #nextBound(): number | undefined {
    let least = Number.POSITIVE_INFINITY;
    for (const process of this.small) {
      if (!process.isLive) continue;
      const due = process.nextDue();
      if (due <= this.now) return undefined;
      least = Math.min(least, due);
    }
    for (const bounds of this.#bounds) {
      for (const bound of bounds()) if (bound > this.now) least = Math.min(least, bound);
    }
    return least < Number.POSITIVE_INFINITY ? least : undefined;
  }

  #fingerprint(): string {
    const hash = createHash('sha1');
    const messages = this.#messages.map(({ text, process, life }) => `${process.name} ${life} ${text}`).sort();
    const processes = this.small.map((process) => {
      const { life, state, isFrozen, frozenAt, observed } = process;
      const leases = process.running.map(({ claim }) => this.until(claim.expiresAt));
      return [life, state, isFrozen, isFrozen && frozenAt === this.now, observed, process.timers(), leases];
    });
    const state = this.#state.map((part) => part());
    return hash.update(JSON.stringify([messages, processes, state, this.#faults])).digest('base64');
  }
}

function textOf(value: unknown): string {
  if (value instanceof Map) return textOf([...value]);
  if (value instanceof Set) return textOf([...value]);
  return JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? `${each}n` : each)) ?? '';
}
