import type { Choices } from '../kernel/choices.js';
import { World } from '../kernel/world.js';
import { TransactionalTable } from '../models/transactional-table.js';
import { Drains } from '../oracle/drains.js';
import { Ledger } from '../oracle/ledger.js';
import { Letters } from '../oracle/letters.js';
import { ReorgsOracle } from '../oracle/reorgs.js';
import type { Subject } from '../subject/load.js';
import { FollowedChain, HORIZON_MS, LEASE_MS } from './followed-chain.js';
import type { WorldDefinition } from './world-definition.js';

const CHAIN_IDS = [31337, 1];

/** Replicas whose effects follow one chain, or two chains whose blocks have the same hashes, in one store. */
export const reorgs: WorldDefinition = {
  name: 'reorgs',
  play: (choices, subject) => play(choices, subject, false),
};

/** The same with dead letters of either direction. */
export const reorgsLetters: WorldDefinition = {
  name: 'reorgs-letters',
  play: (choices, subject) => play(choices, subject, true),
};

async function play(choices: Choices, subject: Subject, hasLetters: boolean): Promise<World> {
  const world = new World(choices);
  const server = world.server('database');
  const times = {
    leaseMs: LEASE_MS,
    timeoutMs: 250,
    horizonMs: HORIZON_MS,
    leadMs: choices.pick([LEASE_MS, 1]),
  };
  const table = new TransactionalTable(server, times);
  const oracle = new ReorgsOracle(world, table);
  const ledger = new Ledger(world);
  const letters = hasLetters ? new Letters(world, table.letters) : undefined;
  const parts = { world, subject, table, oracle, ledger, drains: new Drains(world, ledger), letters };
  const chainIds = CHAIN_IDS.slice(0, choices.pick([1, 1, 1, 2]));
  const chains = chainIds.map((chainId) => new FollowedChain({ ...parts, chainId }));

  const restartServer = () => server.stopFor(choices.pick([5, 100, 400, 1200]));
  for (const chain of chains) chain.live([restartServer]);
  await world.run(() => chains.every(({ isAtRest }) => isAtRest));
  oracle.end();
  return world;
}
