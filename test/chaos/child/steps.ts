import { monotonic } from '../clock.js';
import type { Step } from '../faults.js';
import type { Answers, Command, Message, Order } from '../messages.js';
import type { Misuses } from '../misuse.js';
import type { Mode } from '../modes.js';
import { stepClock, useClock } from './clock.js';

/** The argument of a process of the chaos test. */
export interface ChildSettings {
  readonly mode: Mode;
  /** Names the tables, key prefix and queue of this run. */
  readonly run: string;
  /** The servers of store and engine, behind proxies that may cut the connection. */
  readonly postgresUrl: string;
  readonly mariadbUrl: string;
  readonly redisUrl: string;
  readonly dynamodbUrl: string;
  /** The database of effects outside the store's transaction. */
  readonly effectsUrl: string;
  readonly sqliteFile: string;
  /** The package with the ORMs. */
  readonly orms: string;
  readonly leaseMs: number;
  readonly handlerTimeoutMs: number;
  readonly secret: string;
  /** How many connections its pool may open. */
  readonly poolSize: number;
  readonly misuses: Misuses;
  /** Where a process marks that it has had a misuse happen. */
  readonly marks: string;
  /** The nodes, and what is asked of them. */
  readonly chain?: ChainSettings;
  /** The file with the offset of the machine's wall clock, in ms. */
  readonly clockFile: string;
}

/** The options of `chainFinality` and `chainSource` alike. */
export interface ChainSettings {
  readonly rpcUrl: readonly string[];
  readonly agree: number;
  readonly level: 'safe' | 'finalized' | { readonly confirmations: number };
}

export const settings: ChildSettings = JSON.parse(process.argv[2] ?? '');

useClock({ clockFile: settings.clockFile, sharesClock: settings.mode.sharesClock === true });

let pending: Order | undefined;
/** Counters of waiting client calls. Each part of the process adds one. */
export const waiting: (() => number)[] = [];
/** What finds the answers. Set before the process tells that it does its work. */
export const answers: { -readonly [Question in keyof Answers]?: () => Promise<Answers[Question]> } = {
  'waiting?': async () => waiting.reduce((sum, count) => sum + count(), 0),
};

/** Whatever goes wrong is tried again. */
function reply(question: keyof Answers): void {
  answers[question]?.().then(
    (answer) => tell({ answer }),
    (error: Error) => {
      console.error(question, error.message);
      setTimeout(reply, 100, question);
    },
  );
}

process.on('message', (command: Command) => {
  if (command === 'withdraw') pending = undefined;
  else if (typeof command === 'string') reply(command);
  else if (command.at === 'now') obey(command);
  else pending = command;
});
// The test process is gone, so this process must end too.
process.on('disconnect', () => process.exit(1));

export function tell(message: Message): void {
  process.send?.(message);
}

/** Passes a step, and carries out an order for it. */
export function pass(step: Step): void {
  if (pending?.at !== step) return;
  const order = pending;
  pending = undefined;
  obey(order);
}

function obey(order: Order): void {
  tell({ struck: order, at: monotonic() });
  if (order.act === 'kill') process.kill(process.pid, 'SIGKILL');
  if (order.act === 'stop') {
    process.kill(process.pid, 'SIGSTOP');
    tell({ awake: true });
  }
  if (order.act === 'term') process.kill(process.pid, 'SIGTERM');
  if (order.act === 'clock') stepClock(order.ms);
}
