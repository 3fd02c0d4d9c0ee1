import type { WebhookEvent } from '../../../src/events/types.js';
import type { DeliveryResult } from '../../../src/handle/answer.js';
import type { World } from '../kernel/world.js';
import { aboutOf } from '../models/chain/event-name.js';
import type { ChainNetwork } from '../models/chain/network.js';
import { isApplied, type Log, type LogRows } from '../models/log-rows.js';

export type Direction = '+' | '-';

/** What a database has committed. */
interface Committed {
  readonly effects: readonly string[];
  readonly logs: LogRows;
}

/** The effects of one log. */
interface Effects {
  /** How often it was applied. */
  applications: number;
  isApplied: boolean;
}

/**
 * Holds `reorgs` to the chains' truth. Each handler writes what it does, to which log and for which application, into the
 * transaction of its step. The transitions of a log alternate, its row says whether its effect exists, a reversal needs
 * another block at that height, and final rows never change. At rest, an effect exists if and only if its block is canonical.
 */
export class ReorgsOracle {
  readonly #world: World;
  readonly #committed: Committed;
  readonly #networks = new Map<string, ChainNetwork>();
  readonly #effects = new Map<string, Effects>();
  /** Logs whose delivery was acknowledged. */
  readonly #delivered = new Set<string>();
  readonly #final = new Set<string>();
  /** By chain and letter. */
  readonly #names = new Map<string, string>();
  #seen = 0;
  #settled = 0;

  /** Checks after every step. */
  constructor(world: World, committed: Committed) {
    this.#world = world;
    this.#committed = committed;
    world.check(() => this.#check());
  }

  addChain(chain: string, network: ChainNetwork): void {
    this.#networks.set(chain, network);
  }

  #about(chain: string, event: WebhookEvent) {
    const about = aboutOf(event, (this.#networks.get(chain) as ChainNetwork).chain);
    return { ...about, name: `${chain}/${about.name}` };
  }

  /** The effect of a handler that was called with an event. */
  effectOf(direction: Direction, chain: string, event: WebhookEvent, application: number | undefined): string {
    const { name, isRemoval } = this.#about(chain, event);
    if (isRemoval) this.#world.fail('notice handled', `A handler gets the removal notice of ${name}.`);
    return `${direction}${application} ${name}`;
  }

  #check(): void {
    const { effects, logs } = this.#committed;
    if (effects.length === this.#seen && logs.settled === this.#settled) return;
    for (const effect of effects.slice(this.#seen)) this.#note(effect);
    this.#seen = effects.length;
    this.#settled = logs.settled;
    const rows = new Map<string, Log>();
    for (const log of [...logs.open.values(), ...logs.final.values()]) rows.set(this.#nameOf(log), log);
    for (const [name, { isApplied: is }] of this.#effects) {
      const log = rows.get(name);
      if (!log) this.#world.fail('effect without record', `${name} took effect and has no row.`);
      if (is !== isApplied(log)) this.#world.fail('row and effect differ', `${name}: ${log.transitions} transitions.`);
    }
    for (const [name, log] of rows) {
      if (isApplied(log) && !this.#effects.has(name)) this.#world.fail('record without effect', name);
    }
    for (const log of logs.final.values()) this.#final.add(this.#nameOf(log));
  }

  #nameOf({ chain, letter }: Log): string {
    const key = `${chain} ${letter}`;
    let name = this.#names.get(key);
    if (name === undefined) {
      name = this.#about(chain, JSON.parse(letter).event).name;
      this.#names.set(key, name);
    }
    return name;
  }

  /** Takes the transition that an effect stands for. */
  #note(effect: string): void {
    this.#world.history.add('database', `has committed ${effect}`);
    const [, direction, application, name] = /^([+-])(\w+) (.+)$/.exec(effect) as unknown as string[];
    const before = this.#effects.get(name as string) ?? { applications: 0, isApplied: false };
    if (this.#final.has(name as string)) this.#world.fail('changed after it was final', effect);
    const isApplication = direction === '+';
    if (isApplication === before.isApplied) {
      this.#world.fail(isApplication ? 'applied twice' : 'reverted without an application', effect);
    }
    const applications = before.applications + Number(isApplication);
    if (Number(application) !== applications) this.#world.fail('wrong application', `${effect} is ${applications}.`);
    if (!isApplication) this.#needsOther(name as string);
    this.#effects.set(name as string, { applications, isApplied: isApplication });
  }

  /** A reversal needs a block that was mined at the same height: missing answers prove nothing. */
  #needsOther(name: string): void {
    const [chain, number, seed] = name.split(/[/.#]/);
    const known = this.#networks.get(chain as string)?.chain.known.values() ?? [];
    const isAt = (mined: { number: number; seed: number }) => mined.number === Number(number);
    if ([...known].some((mined) => isAt(mined) && mined.seed !== Number(seed))) return;
    this.#world.fail('reverted without proof', `${name} is reverted, and no other block was mined at its height.`);
  }

  /** Called for each answer: what is acknowledged has a row, but for removal notices. */
  answered(chain: string, events: readonly WebhookEvent[], { status }: DeliveryResult): void {
    if (status !== 200) return;
    const { open, final } = this.#committed.logs;
    const rows = new Set([...open.values(), ...final.values()].map((log) => this.#nameOf(log)));
    for (const event of events) {
      const { name, isRemoval } = this.#about(chain, event);
      if (isRemoval) continue;
      if (!rows.has(name)) this.#world.fail('acknowledged without a record', `${name} has no row.`);
      this.#delivered.add(name);
    }
  }

  /** At rest: every block is final, and passes have run. */
  end(): void {
    this.#check();
    const [open] = this.#committed.logs.open.values();
    if (open) this.#world.fail('never final', `${this.#nameOf(open)} is open.`);
    for (const [chain, { chain: blocks }] of this.#networks) {
      for (const mined of blocks.known.values()) {
        for (const index of mined.logs.keys()) {
          const name = `${chain}/${mined.number}.${mined.seed}#${index}`;
          const isEffective = this.#effects.get(name)?.isApplied === true;
          const isCanonical = blocks.isCanonical(mined);
          if (isEffective && !isCanonical) this.#world.fail('effect of a log that is not canonical', name);
          if (!isEffective && isCanonical && this.#delivered.has(name)) this.#world.fail('missed', name);
        }
      }
    }
  }
}
