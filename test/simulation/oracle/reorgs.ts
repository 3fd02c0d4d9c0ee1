import type { EventItem } from '../../../src/events/parse-delivery.js';
import type { WebhookEvent } from '../../../src/events/types.js';
import type { DeliveryResult } from '../../../src/handle/answer.js';
import type { World } from '../kernel/world.js';
import { aboutOf } from '../models/chain/event-name.js';
import type { ChainNetwork } from '../models/chain/network.js';
import type { LetterRows } from '../models/letter-rows.js';
import { isApplied, type Log, type LogRows } from '../models/log-rows.js';

type Change = Place & { readonly direction: Direction };

export type Direction = '+' | '-';

/** What a database has committed. */
interface Committed {
  readonly effects: readonly string[];
  readonly logs: LogRows;
  readonly letters: LetterRows;
}

/** A log, by its name. */
interface Place {
  readonly chain: string;
  readonly number: number;
  readonly seed: number;
  readonly index: number;
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
 * another block at that height, and final rows never change. A pass reverts from the highest block down, then applies upward,
 * and the logs of a block in order. At rest, an effect exists if and only if its block is canonical.
 */
export class ReorgsOracle {
  readonly #networks = new Map<string, ChainNetwork>();
  readonly #effects = new Map<string, Effects>();
  /** Logs whose delivery was acknowledged. */
  readonly #delivered = new Set<string>();
  readonly #final = new Set<string>();
  /** By letter, for each chain. */
  readonly #names = new Map<ChainNetwork, Map<string, string>>();
  /** The last change of each pass. */
  readonly #passes = new Map<string, Change>();
  #seen = 0;
  #settled = 0;

  /** Checks after every step. */
  constructor(
    private readonly world: World,
    private readonly committed: Committed,
  ) {
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
    if (isRemoval) this.world.fail('notice handled', `A handler gets the removal notice of ${name}.`);
    return `${direction}${application} ${name}`;
  }

  /** A pass calls a handler. `isEach`: with events of one block at once, which may be tried again in parts. */
  changes(pass: string, direction: Direction, chain: string, events: readonly WebhookEvent[], isEach: boolean): void {
    const places = events.map((event) => ({ ...placeOf(this.#about(chain, event).name), direction }));
    const last = this.#passes.get(pass);
    const isAgain = (next: Change) => last?.seed === next.seed && (isEach || last.index === next.index);
    for (const [at, next] of places.entries()) {
      const before = at > 0 ? places[at - 1] : last;
      if (!before || (at === 0 && isAgain(next)) || isInOrder(before, next)) continue;
      const [one, other] = [before, next].map((each) => `${each.direction}${nameOf(each)}`);
      this.world.fail('not in order', `A pass changes ${other} after ${one}.`);
    }
    this.#passes.set(pass, places.at(-1) as Change);
  }

  #check(): void {
    const { effects, logs } = this.committed;
    if (effects.length === this.#seen && logs.settled === this.#settled) return;
    for (const effect of effects.slice(this.#seen)) this.#note(effect);
    this.#seen = effects.length;
    this.#settled = logs.settled;
    const rows = new Map<string, Log>();
    for (const log of [...logs.open.values(), ...logs.final.values()]) rows.set(this.#nameOf(log), log);
    for (const [name, { isApplied: is }] of this.#effects) {
      const log = rows.get(name);
      if (!log) this.world.fail('effect without record', `${name} took effect and has no row.`);
      if (is !== isApplied(log)) this.world.fail('row and effect differ', `${name}: ${log.transitions} transitions.`);
    }
    for (const [name, log] of rows) {
      if (isApplied(log) && !this.#effects.has(name)) this.world.fail('record without effect', name);
    }
    for (const log of logs.final.values()) this.#final.add(this.#nameOf(log));
  }

  #nameOf({ chain, letter, blockHash }: Log): string {
    const network = this.#networks.get(chain) as ChainNetwork;
    const names = this.#names.get(network) ?? new Map<string, string>();
    this.#names.set(network, names);
    let name = names.get(letter);
    if (name === undefined) {
      const isOwn = network.chain.known.has(blockHash);
      if (!isOwn) this.world.fail('log of another chain', `Chain ${chain} has no block ${blockHash}.`);
      name = this.#about(chain, JSON.parse(letter).event).name;
      names.set(letter, name);
    }
    return name;
  }

  /** Takes the transition that an effect stands for. */
  #note(effect: string): void {
    this.world.history.add('database', `has committed ${effect}`);
    const [, direction = '', application, name = ''] = /^([+-])(\w+) (.+)$/.exec(effect) ?? [];
    const before = this.#effects.get(name) ?? { applications: 0, isApplied: false };
    if (this.#final.has(name)) this.world.fail('changed after it was final', effect);
    const isApplication = direction === '+';
    if (isApplication === before.isApplied) {
      this.world.fail(isApplication ? 'applied twice' : 'reverted without an application', effect);
    }
    const applications = before.applications + Number(isApplication);
    if (Number(application) !== applications) this.world.fail('wrong application', `${effect} is ${applications}.`);
    if (!isApplication) this.#needsOther(placeOf(name), name);
    this.#effects.set(name, { applications, isApplied: isApplication });
  }

  /** A reversal needs a block that was mined at the same height: missing answers prove nothing. */
  #needsOther({ chain, number, seed }: Place, name: string): void {
    const known = this.#networks.get(chain)?.chain.known.values() ?? [];
    if ([...known].some((mined) => mined.number === number && mined.seed !== seed)) return;
    this.world.fail('reverted without proof', `${name} is reverted, and no other block was mined at its height.`);
  }

  /** Called for each answer: what is acknowledged has a row or is a dead letter, but for removal notices. */
  answered(chain: string, { status, outcomes }: DeliveryResult): void {
    if (status !== 200) return;
    const { logs, letters } = this.committed;
    const rows = new Set([...logs.open.values(), ...logs.final.values()].map((log) => this.#nameOf(log)));
    for (const { item, idempotencyKey = '' } of outcomes) {
      const { name, isRemoval } = this.#about(chain, (item as EventItem).event);
      if (isRemoval) continue;
      if (!rows.has(name) && !letters.isDead(idempotencyKey))
        this.world.fail('acknowledged without a record', `${name} has no row.`);
      this.#delivered.add(name);
    }
  }

  /** At rest: every block is final, and passes have run. */
  end(): void {
    this.#check();
    const [open] = this.committed.logs.open.values();
    if (open) this.world.fail('never final', `${this.#nameOf(open)} is open.`);
    for (const [chain, { chain: blocks }] of this.#networks) {
      for (const mined of blocks.known.values()) {
        for (const index of mined.logs.keys()) {
          const name = nameOf({ chain, ...mined, index });
          const isEffective = this.#effects.get(name)?.isApplied === true;
          const isCanonical = blocks.isCanonical(mined);
          if (isEffective && !isCanonical) this.world.fail('effect of a log that is not canonical', name);
          if (!isEffective && isCanonical && this.#delivered.has(name)) this.world.fail('missed', name);
        }
      }
    }
  }
}

function placeOf(name: string): Place {
  const [chain = '', ...numbers] = name.split(/[/.#]/);
  const [number = 0, seed = 0, index = 0] = numbers.map(Number);
  return { chain, number, seed, index };
}

const nameOf = ({ chain, number, seed, index }: Place) => `${chain}/${number}.${seed}#${index}`;

/** Whether a pass may make these changes in this order. */
function isInOrder(one: Change, next: Change): boolean {
  if (one.direction !== next.direction) return one.direction === '-';
  const sign = one.direction === '-' ? -1 : 1;
  if (one.number !== next.number) return sign * (next.number - one.number) > 0;
  return one.seed !== next.seed || sign * (next.index - one.index) > 0;
}
