import type { RequestFaults } from '../kernel/request.js';
import type { Server } from '../kernel/server.js';
import type { World } from '../kernel/world.js';
import type { Mined } from '../models/chain/block.js';
import { ChainNetwork, type Level } from '../models/chain/network.js';
import { ChainNode, MOODS, siteOf } from '../models/chain/node.js';
import { transfers } from '../models/chain/token.js';
import { createFetch, type Site } from '../models/web/fetch.js';
import type { Replicas } from './replicas.js';

export interface ChainSetupOptions {
  readonly level: Level;
  /** How many URLs there are, each with one node or several behind it. */
  readonly urls: number;
  /** How many of them must say the same: all but so many may be of liars. */
  readonly agree: number;
  /** The chain changes until then, and all its blocks become final. */
  readonly horizonMs: number;
  /** Also tells its URLs from those of other chains. (Default: 31337.) */
  readonly chainId?: number | undefined;
  /** What may happen to the chain, each as often as it is listed. (Default: mostly new blocks.) */
  readonly changes?: readonly Change[] | undefined;
}

/** What fails on purpose is not logged. */
export const silent = { debug() {}, info() {}, warn() {}, error() {} };

export type Change = 'mine' | 're-org' | 'put back' | 'finalize';

const CHANGES: readonly Change[] = ['mine', 'mine', 'mine', 're-org', 'put back', 'finalize', 'finalize'];

/** Confirmations by which src/chain believes that a block was replaced. */
const SURE = 32;

/** A chain with its nodes, and what happens to both in a schedule. */
export class ChainSetup {
  readonly network: ChainNetwork;
  readonly nodes: ChainNode[] = [];
  readonly servers: Server[] = [];
  readonly sites = new Map<string, Site>();
  /** Nodes that may lie: all are behind one URL, so that no two URLs agree on a lie. */
  readonly #liars: ChainNode[] = [];
  /** Branches that a re-org replaced. */
  readonly #replaced: (readonly Mined[])[] = [];

  constructor(
    private readonly world: World,
    private readonly options: ChainSetupOptions,
  ) {
    const { choices } = world;
    this.network = new ChainNetwork(world, options.level);
    for (let at = 0; at < options.urls; at++) {
      const name = options.chainId === undefined ? `node${at}` : `node${at}-${options.chainId}`;
      const server = world.server(name);
      const nodes = Array.from({ length: choices.pick([1, 2, 3]) }, () => this.#node());
      if (at === 0 && options.agree > 1) this.#liars.push(...nodes);
      this.servers.push(server);
      this.sites.set(`http://${name}.test/`, siteOf(server, nodes));
    }
  }

  #node(): ChainNode {
    const { choices } = this.world;
    const node = new ChainNode(this.network.version, choices.below(2) === 0, this.options.chainId);
    this.network.addNode(node, choices.pick([0, 0, 50, 500, 3000]));
    this.nodes.push(node);
    return node;
  }

  get rpcUrl(): string[] {
    return [...this.sites.keys()];
  }

  /** Lets processes reach the nodes. */
  connect({ processes }: Replicas): void {
    for (const process of processes) process.fetch = createFetch(process, this.sites, this.faults);
  }

  /** Plans how the chain grows, re-organizes and becomes final. */
  live(changes: number): void {
    const { choices } = this.world;
    const { horizonMs } = this.options;
    for (let change = 0; change < changes; change++) {
      this.world.after(choices.below(horizonMs), () => this.change());
    }
    this.world.after(horizonMs, () => this.#heal());
  }

  change(): void {
    const { choices } = this.world;
    const { network } = this;
    const { chain } = network;
    const way = choices.pick(this.options.changes ?? CHANGES);
    if (way === 're-org' && network.replaceable > 0) {
      this.#replaced.push(chain.blocks);
      const depth = choices.between(1, Math.min(4, network.replaceable));
      network.reorganize(depth, ...this.#blocks(choices.between(1, depth + 1)));
    } else if (way === 'put back' && this.#replaced.length > 0) {
      const before = chain.blocks;
      if (network.putBack(choices.pick(this.#replaced))) this.#replaced.push(before);
    } else if (way === 'finalize') {
      const finalized = chain.height - choices.below(4);
      network.finalize(finalized, finalized + choices.below(3));
    } else network.mine(...this.#blocks(choices.between(1, 2)));
  }

  #blocks(count: number) {
    return Array.from({ length: count }, () => {
      const logs = this.world.choices.pick([1, 0, 2]);
      return logs === 0 ? [] : [transfers(logs)];
    });
  }

  /** From now on nodes answer, see everything after their lag, and every block becomes final. */
  #heal(): void {
    const { level } = this.options;
    const { network } = this;
    for (const node of this.nodes) {
      node.mood = 'well';
      node.hides = undefined;
      node.lies = false;
      node.isStuck = false;
      node.see(network.version);
    }
    // Above every block that was replaced, so that another one is final in its place.
    const confirmations = typeof level === 'object' ? SURE + level.confirmations : 0;
    const least = network.highest + 1 + confirmations;
    const empty = Array.from({ length: least - network.chain.height }, () => []);
    network.mine([transfers(1)], ...empty);
    network.finalize(least, least);
  }

  /** A fault of one node. */
  readonly strike = (): void => {
    const { choices, history } = this.world;
    const node = choices.pick(this.nodes);
    const mood = choices.pick(['stuck', ...MOODS] as const);
    const ms = choices.pick([200, 1500, 8000]);
    history.add(`a node`, `is ${mood}`, { ms });
    if (mood === 'stuck') node.isStuck = true;
    else node.mood = mood;
    this.world.after(ms, () => {
      if (mood !== 'stuck') node.mood = 'well';
      else {
        node.isStuck = false;
        node.see(this.network.version);
      }
    });
  };

  /** A node leaves out the logs of some blocks when it is asked for those of a range. */
  readonly hide = (): void => {
    const { choices, history } = this.world;
    const node = choices.pick(this.nodes);
    const every = 1 + choices.below(3);
    history.add('a node', 'leaves out logs', { every });
    node.hides = ({ number }) => number % every === 0;
    if (this.#liars.length > 0) this.lie();
  };

  /** A node lies, if others contradict it. */
  readonly lie = (): void => {
    const { choices, history } = this.world;
    if (this.#liars.length === 0) return;
    choices.pick(this.#liars).lies = true;
    history.add('a node', 'lies');
  };

  /** Faults of requests to the nodes. */
  readonly faults = (): RequestFaults => ({ oneIn: this.world.now < this.options.horizonMs ? 40 : 0 });
}
