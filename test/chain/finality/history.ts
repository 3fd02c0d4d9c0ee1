import type { Hex } from 'viem';
import { rawLog } from '../../../src/evm/index.js';
import type { EventEmitted } from '../../../src/index.js';
import type { Random } from '../../chaos/random.js';
import { type Mined, Raw, type ScriptedNode } from '../scripted-node.js';
import { transfer } from '../watching.js';
import { eventOf } from './checking.js';

/** A chain that grows, is re-organised and becomes final at random, and the notices that a service sends about it. */
export class History {
  #finalized = 0;
  /** Branches that a re-org removed, from block 0. */
  readonly #removed: (readonly Mined[])[] = [];
  /** What lagging nodes see. */
  readonly #old: { readonly chain: readonly Mined[]; readonly finalized: number }[] = [];

  constructor(
    private readonly node: ScriptedNode,
    private readonly random: Random,
  ) {
    this.#remember();
  }

  /** Lets the chain change; returns the events that the service sends, in its order. */
  step(): EventEmitted[] {
    const { node, random } = this;
    const before = node.chain.slice();
    const depth = Math.min(random.int(1, 6), before.length - 1 - this.#finalized);
    const isPossible = (branch: readonly Mined[]) =>
      before.slice(0, this.#finalized + 1).every((block, at) => block === branch[at]);
    const back = this.#removed.filter(isPossible);
    if (random.chance(0.3) && depth > 0) {
      this.#removed.push(before);
      node.drop(depth);
      this.#mine(depth + random.int(0, 2));
    } else if (random.chance(0.3) && back.length > 0) {
      const branch = random.pick(back);
      this.#removed.push(before);
      node.chain = branch;
      this.#mine(Math.max(1, before.length - branch.length + 1));
    } else this.#mine(random.int(1, 4));
    if (random.chance(0.5)) this.finalize(random.int(this.#finalized, node.chain.length - 1));
    this.#remember();
    const common = before.findIndex((block, at) => node.chain[at] !== block);
    const kept = common < 0 ? before.length : common;
    const removals = before.slice(kept).flatMap((block) => eventsIn(block, true));
    return [...removals.reverse(), ...node.chain.slice(kept).flatMap((block) => eventsIn(block, false))];
  }

  finalize(number: number): void {
    this.#finalized = Math.max(number, this.#finalized);
    this.node.set({ finalized: this.#finalized });
  }

  /** The last blocks become final. */
  end(): void {
    this.finalize(this.node.chain.length - 1);
    this.node.behind(() => ({ chain: this.node.chain, finalized: this.#finalized }));
    this.node.answer((_, __, answer) => answer);
  }

  /** Whether an event is of a block that is final now, by the chain alone. */
  isFinal(event: EventEmitted): boolean {
    const log = rawLog(event);
    const number = Number(log?.blockNumber);
    return number <= this.#finalized && this.node.chain[number]?.block.hash === log?.blockHash;
  }

  /** Whether another block is final in place of the event's. */
  isReplaced(event: EventEmitted): boolean {
    return Number(rawLog(event)?.blockNumber) <= this.#finalized && !this.isFinal(event);
  }

  /** The logs of the final chain, by block hash and index. */
  finalLogs(): string[] {
    return this.node.chain.slice(0, this.#finalized + 1).flatMap((block) => eventsIn(block, false).map(nameOf));
  }

  /** From now on, each request is answered by a node that may lag, or with a lie. */
  misbehave(lies: number): void {
    const { node, random } = this;
    node.behind(() =>
      random.chance(0.3) ? random.pick(this.#old) : { chain: node.chain, finalized: this.#finalized },
    );
    node.answer((_, __, answer) => (random.chance(lies) ? this.#lie(answer) : answer));
  }

  #lie(answer: unknown): unknown {
    const { random } = this;
    const hash = (): Hex => `0x${random.uuid().replaceAll('-', '').repeat(2)}`;
    const isBlock = typeof answer === 'object' && answer !== null;
    const wrong: readonly (() => unknown)[] = [
      () => null,
      () => new Raw('', 429, { 'retry-after': '3' }),
      () => new Raw('', 503),
      () => new Raw('{"jsonrpc":"2.0","id":1,"result":{'),
      () => new Raw('{"jsonrpc":"2.0","id":0,"error":{"code":-32000,"message":"header not found"}}'),
      () => (isBlock ? { ...answer, hash: hash() } : '0x5'),
      () => (isBlock ? { ...answer, parentHash: hash() } : '0x'),
      () => (isBlock ? { ...answer, number: '0x3' } : {}),
    ];
    return random.pick(wrong)();
  }

  #mine(blocks: number): void {
    for (let block = 0; block < blocks; block++) {
      this.node.mine({ logs: Array.from({ length: this.random.int(0, 2) }, (_, at) => transfer(at + 1)) });
    }
  }

  #remember(): void {
    this.#old.push({ chain: this.node.chain.slice(), finalized: this.#finalized });
    if (this.#old.length > 4) this.#old.shift();
  }
}

function eventsIn(mined: Mined, removed: boolean): EventEmitted[] {
  return mined.logs.map((_, logIndex) => eventOf(mined, { logIndex, removed }));
}

/** Names an event's log, whatever the id of the event. */
export function nameOf(event: EventEmitted): string {
  const log = rawLog(event);
  return `${log?.blockHash} ${log?.logIndex}${log?.removed ? ' removed' : ''}`;
}
