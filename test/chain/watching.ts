import type { Hex } from 'viem';
import { padHex, parseAbi, toEventSelector, toHex } from 'viem';
import { afterEach, beforeEach } from 'vitest';
import type { ChainWatcher, WatchChainOptions } from '../../src/chain/index.js';
import { watchChain } from '../../src/chain/index.js';
import { type EventEmitted, parseDelivery, type WebhookEvent } from '../../src/index.js';
import { createTestDelivery } from '../../src/testing/index.js';
import { secret } from '../helpers.js';
import { createNode, type ScriptedLog } from './scripted-node.js';

export const tokenAbi = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'function transfer(address to, uint256 value)',
]);
export const token = {
  address: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
  abi: tokenAbi,
  name: 'Token',
  label: 'token',
} as const;
export const people = [1, 2, 3].map((each) => padHex(toHex(each), { size: 20 })) as [Hex, Hex, Hex];

/** The log of a transfer, which a test tells by its value. */
export function transfer(value: number, address: Hex = token.address): ScriptedLog {
  const [from, to] = people.map((each) => padHex(each, { size: 32 })) as [Hex, Hex];
  const topics = [toEventSelector('Transfer(address,address,uint256)'), from, to];
  return { address: address.toLowerCase() as Hex, topics, data: padHex(toHex(value), { size: 32 }) };
}

/** What a watcher does, as it comes, and a way to wait for it. */
export function createRecorder() {
  const groups: WebhookEvent[][] = [];
  const lines: { readonly level: string; readonly message: string; readonly fields: Record<string, unknown> }[] = [];
  let changed: (() => void)[] = [];
  const tell = () => {
    for (const each of changed.splice(0)) each();
  };
  const log = (level: string) => (fields: object, message: string) => {
    lines.push({ level, message, fields: { ...fields } });
    tell();
  };
  return {
    groups,
    lines,
    logger: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') },
    onEvents(events: readonly WebhookEvent[]) {
      groups.push([...events]);
      tell();
    },
    /** Resolves when it holds; looks again whenever something happened, and each time that `watcher` may have moved. */
    async until(holds: () => boolean): Promise<void> {
      while (!holds()) {
        await new Promise<void>((resolve) => {
          changed = [...changed, resolve];
          // A block without events tells nobody.
          setTimeout(resolve, 2);
        });
      }
    },
  };
}

export type Recorder = ReturnType<typeof createRecorder>;

/** A watcher that is closed with the test, and whose every event is one that the library takes. */
export async function watch(recorder: Recorder, options: Partial<WatchChainOptions>): Promise<ChainWatcher> {
  return watchChain({
    rpcUrl: '',
    contracts: [token],
    fromBlock: 0,
    pollIntervalMs: 1,
    logger: recorder.logger,
    onEvents: recorder.onEvents,
    ...options,
  });
}

/** A new node for each test of a file, and the watcher of it, with what that does. */
export function watchedNode() {
  const on = {
    node: createNode(),
    recorder: createRecorder(),
    watcher: undefined as ChainWatcher | undefined,
    async start(options: Partial<WatchChainOptions> = {}): Promise<ChainWatcher> {
      on.watcher = await watch(on.recorder, { rpcUrl: on.node.url, ...options });
      return on.watcher;
    },
    /** The values of all transfers that were passed on. */
    sent: () => valuesOf(on.recorder.groups).flat(),
    /** Mines a block for each transfer. */
    mine(...values: number[]) {
      for (const value of values) on.node.mine({ logs: [transfer(value)] });
    },
    done: (number: number) => on.recorder.until(() => on.watcher?.blockNumber === number),
  };
  beforeEach(() => {
    Object.assign(on, { node: createNode(), recorder: createRecorder(), watcher: undefined });
  });
  afterEach(() => on.watcher?.close());
  return on;
}

/** What a receiver makes of events. */
export function received(events: readonly WebhookEvent[]): WebhookEvent[] {
  return parseDelivery(createTestDelivery(events, { secret }).rawBody).map((item) => {
    if (item.status !== 'event') throw new Error(`An item is ${item.status}.`);
    return item.event;
  });
}

export const isEmitted = (event: WebhookEvent): event is EventEmitted => event.event === 'event.emitted';

/** The transfers of groups by their value, those of removed logs with a minus. */
export function valuesOf(groups: readonly WebhookEvent[][]): string[][] {
  return groups.map((group) =>
    group.filter(isEmitted).map(({ data: { event } }) => {
      const { removed } = JSON.parse(event.rawFields ?? '');
      return `${removed ? '-' : ''}${event.inputs[2]?.value}`;
    }),
  );
}
