import { expect, it } from 'vitest';
import { logIdentity } from '../../../../src/evm/index.js';
import { createReceiver, type ReceiverOptions, type WebhookEvent } from '../../../../src/index.js';
import type { LetterStore } from '../../../../src/stores/store.js';
import { eventually, nothing } from '../../../contracts/store-helpers.js';
import { seconds, secret, signed } from '../../../helpers.js';
import { hashOf, logOf, scriptedChain } from '../../../receiver/scripted-reorgs.js';
import type { Opened, Run, SqlClient } from '../client.js';
import { endClaims } from './letters.js';

/** The connections of a receiver whose process is killed at a statement. */
export interface Doomed {
  readonly opened: Opened;
  /** Ends all connections for good before the server gets the statement of this number, from 1 on. */
  dieAt(statement: number): void;
  isDead(): boolean;
}

/** Each statement may also have reached the server before the kill. */
type OpenDoomed = (arrives: boolean) => Promise<Doomed>;

const DELIVERED = [logOf('A'), logOf('A', { logIndex: 1 })] as const;
const [ODD, PLAIN] = DELIVERED.map(({ id }) => id) as [string, string];
/** How many lives there are at once: a SQLite file has one writer. */
const LIVES = { postgres: 8, mysql: 8, sqlite: 1 };

let chains = Date.now();

/** A chain, and the logs of one of its blocks: the handler fails for the first where `failing` says so. */
function startLife() {
  const chainId = chains++;
  const { chain, reorgs } = scriptedChain(chainId);
  chain.canonical.set(10, hashOf('A'));
  let failing = '';
  const change =
    (sign: string) =>
    ({ id }: WebhookEvent, { application, tx }: { application?: number; tx: Run }) => {
      if (failing === sign && id === ODD) throw new Error('The handler fails.');
      return tx(`INSERT INTO effects VALUES ('${chainId} ${sign}${id} ${application}')`);
    };
  function receiverOver(opened: Opened) {
    const store = opened.transactional({ timeoutMs: 2000 });
    const handlers = { onEvent: change('+'), onReverted: change('-') };
    const limits = { deadLetters: { afterAttempts: 1, afterSeconds: 0 }, onError: () => {}, now: () => seconds * 1000 };
    const receiver = createReceiver({ secret, reorgs, store, ...handlers, ...limits } as never as ReceiverOptions);
    const act = {
      deliver: async () => expect((await receiver.handle(signed(DELIVERED))).status).toBe(200),
      settle: () => receiver.settleReorgs(),
      retry: () => receiver.deadLetters.retry([logIdentity(DELIVERED[0], { chainId })]),
    };
    return { act, letters: store.letters as LetterStore };
  }
  type Act = keyof ReturnType<typeof receiverOver>['act'];
  const become = (block: string, sign = '') => {
    chain.canonical.set(10, hashOf(block));
    failing = sign;
  };
  /** What changes, what a receiver then does, and the effects and letters that it adds at rest. */
  const steps: [title: string, change: () => void, act: Act, effects: string[], letters: number][] = [
    ['applies', () => become('A', '+'), 'deliver', [`+${PLAIN} 1`], 1],
    ['retries', () => become('A'), 'retry', [`+${ODD} 1`], 0],
    ['reverts', () => become('B'), 'settle', [`-${ODD} 1`, `-${PLAIN} 1`], 0],
    ['applies again', () => become('A'), 'settle', [`+${ODD} 2`, `+${PLAIN} 2`], 0],
    ['fails to revert', () => become('B', '-'), 'settle', [`-${PLAIN} 2`], 1],
    ['retries the reversal', () => become('B'), 'retry', [`-${ODD} 2`], 0],
    ['returns', () => become('A'), 'settle', [`+${ODD} 3`, `+${PLAIN} 3`], 0],
    ['finishes', () => (chain.finalNumber = 10), 'settle', [], 0],
    ['stays final', () => become('B'), 'settle', [], 0],
  ];
  return { chainId, receiverOver, steps };
}

/** Kills a receiver between any two statements of the life of two logs; another one continues. */
export function describeKills(client: SqlClient, open: () => Promise<Opened>, openDoomed: OpenDoomed): void {
  if (client.crashes) return;

  /** Lives until some step after the death, and resolves to the step at which the receiver died, if it did. */
  async function live(healthy: Opened, statement: number, arrives: boolean): Promise<string | undefined> {
    const { chainId, receiverOver, steps } = startLife();
    const doomed = await openDoomed(arrives);
    const [next, first] = [receiverOver(healthy), receiverOver(doomed.opened)];
    await doomed.opened.run('SELECT 1');
    doomed.dieAt(statement);
    let died: string | undefined;
    const expected: string[] = [];
    for (const [title, change, act, effects, letters] of steps) {
      change();
      expected.push(...effects.map((effect) => `${chainId} ${effect}`));
      if (died === undefined) await first.act[act]().catch(nothing);
      const atRest = async () => {
        if (doomed.isDead()) {
          await endClaims(healthy.run, client.dialect, `reorgs:${chainId}`);
          await next.act[act]();
        }
        const rows = await healthy.run(`SELECT id FROM effects WHERE id LIKE '${chainId} %'`);
        expect(rows.map((row) => row.id).sort()).toEqual(expected.toSorted());
        const { letters: found } = await next.letters.list({ limit: 100 });
        expect([...found.keys()].filter((key) => key.startsWith(`${chainId}:`))).toHaveLength(letters);
      };
      await eventually(atRest);
      // Nothing takes effect a second time.
      await atRest();
      if (died !== undefined && letters === 0) return died;
      if (doomed.isDead()) died ??= title;
    }
    expect(await next.act.settle()).toMatchObject({ open: 0 });
    return died;
  }

  it.each(client.dialect === 'sqlite' ? [false] : [false, true])(
    `${client.title}: effects follow the chain, each change once, after a kill at any statement (arrived: %s)`,
    async (arrives) => {
      const [healthy, deaths] = [await open(), new Set<string>()];
      for (let first = 1; ; first += LIVES[client.dialect]) {
        const statements = Array.from({ length: LIVES[client.dialect] }, (_, at) => first + at);
        const died = await Promise.all(statements.map((statement) => live(healthy, statement, arrives)));
        for (const step of died) if (step) deaths.add(step);
        if (died.includes(undefined)) break;
      }
      expect([...deaths]).toEqual(startLife().steps.map(([title]) => title));
    },
    300_000,
  );
}
