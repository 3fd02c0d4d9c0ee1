import { Option } from '@commander-js/extra-typings';
import type { EventEmitted, Logger, WebhookEvent } from 'event-webhook-receiver';
import { chainSource, reconcile as reconcileChain } from 'event-webhook-receiver/chain';
import { CommandError, inputError, usageError } from '../command-error.js';
import type { Context, ExitCode } from '../context.js';
import { readContract } from '../contract-file.js';
import type { Output } from '../output.js';
import { integer, text, texts, url } from '../program/options.js';
import * as shared from '../program/shared-options.js';
import { createProgress } from '../progress.js';
import { type Found, logLooker, receiverLooker } from '../reconcile/looker.js';
import { readReceiver } from '../reconcile/read-receiver.js';
import { openService, readId } from '../service.js';
import { readUrl } from '../urls.js';
import { visible } from '../visible.js';

const define = (own: shared.Own) =>
  own
    .description(
      `${own.summary()}.

Reads the events of contracts from a node, up to the last final block, and looks for each of them: with --receiver in the store of a receiver, with --webhook in the delivery log of the service. Prints those that are missing. To deliver them, call reconcile of event-webhook-receiver/chain in your program.

${shared.RECEIVER_MODULE}`,
    )
    .addOption(url('--rpc <url>', 'JSON-RPC of a node; only its origin is printed').makeOptionMandatory())
    .addOption(texts('--contract <address=abi.json:label>', 'Look for the events of this contract; label optional'))
    .addOption(shared.receiver())
    .addOption(text('--source <name>', "The source that the receiver's secret function returns for these events"))
    .addOption(new Option('--no-source', "The receiver's secret function returns no source"))
    .addOption(text('--webhook <id>', 'Compare with the delivery log of this webhook').conflicts('receiver'))
    .addOption(integer('--from <block>', 'First block', 0, 1e15).default(0))
    .addOption(integer('--confirmations <n>', 'Read up to this many confirmations, not the finalized block', 1, 1e9))
    .addOption(shared.baseUrl)
    .addOption(shared.apiKeyFile);

type Options = shared.OptionsOf<typeof define>;

/** Delay before the first retry, in ms: short, because a person is waiting. */
const RETRY_DELAY_MS = 100;

/** Compares the events of a chain with what has arrived. Handles nothing and writes nothing. */
async function run(context: Context<Options>): Promise<ExitCode> {
  const { options, output, signal } = context;
  const { rpc, contract = [], receiver, source: keySource, webhook, from, confirmations } = options;
  hideUrl(readUrl(rpc, 'The URL of --rpc'), output);
  if (contract.length === 0) throw usageError('Nothing to read: give --contract.');
  if ((receiver === undefined) === (webhook === undefined)) {
    throw usageError('Give either --receiver or --webhook: what to compare the chain with.');
  }
  const contracts = await Promise.all(contract.map(readContract));
  let chainId: number | undefined;
  const looker =
    receiver === undefined
      ? logLooker(await openService(context), readId(webhook as string), () => chainId as number)
      : receiverLooker(await readReceiver(receiver), keySource);

  const labels = new Map(contracts.map(({ address, label }) => [address.toLowerCase(), label]));
  const counts: Record<Found, number> = { handled: 0, 'in-progress': 0, unknown: 0, missing: 0, undelivered: 0 };
  const progress = createProgress(output, undefined);
  const source = chainSource({
    ...{ rpcUrl: rpc, contracts, logger: notes(output) },
    level: confirmations === undefined ? 'finalized' : { confirmations },
    // No minimum age: the answer is about what is missing now.
    minAgeSeconds: 0,
  });

  /** Prints missing events as they are found. */
  async function peek(events: readonly WebhookEvent[]) {
    const found = await looker.look(events);
    for (const [index, event] of events.entries()) {
      const state = found[index] as Found;
      counts[state]++;
      if (state !== 'handled') show(event, state, labels, output);
    }
    await output.taken();
    return found.map((each) => (each === 'undelivered' ? 'missing' : each));
  }

  const report = await reconcileChain({
    ...{ from, handle: false, signal, retryDelayMs: RETRY_DELAY_MS, logger: notes(output) },
    source: {
      name: source.name,
      async open(options) {
        const opened = await source.open(options);
        chainId = opened.chainId;
        return opened;
      },
    },
    receiver: {
      idempotencyKey: (event) => looker.receiver.idempotencyKey(event),
      rememberedSince: () => looker.receiver.rememberedSince(),
      peek,
      handleEvents: () => Promise.reject(new Error('It only looks.')),
    },
    onProgress: ({ to: block, final }) =>
      progress.update(block, `of ${final} blocks, ${counts.missing + counts.undelivered} missing`),
  });
  progress.end();
  if (report.stopped) {
    const { reason, error } = report.stopped;
    if (reason === 'aborted') return 1;
    throw new CommandError('ERR_CLI_UNREACHABLE', forOptions((error as Error).message));
  }
  const missing = counts.missing + counts.undelivered;
  const { to: last, final = -1, head, found } = report;
  if (Math.min(last, final) < from) {
    const known = final < 0 ? 'unknown' : final;
    throw inputError(`Block ${from} is not final yet: the last final one is ${known}. Nothing was compared.`);
  }
  const summary = { from, to: last, final, head, found, ...counts };
  output.result({ reconciled: summary }, summaryText(summary, output));
  return missing + counts.unknown > 0 ? 1 : 0;
}

function show(event: WebhookEvent, state: Found, labels: ReadonlyMap<string, string>, output: Output): void {
  const { transaction, event: log } = (event as EventEmitted).data;
  const { address } = log.contract;
  const { txHash, blockNumber: block } = Object(transaction);
  const label = labels.get(address.toLowerCase());
  const missing = { state, block, txHash, indexInLog: log.indexInLog, contract: address, label, event: log.name };
  const cells = [
    `block ${block}`,
    txHash,
    `log ${log.indexInLog}`,
    `${label} ${address}`,
    visible(log.name, 100),
    state,
  ];
  output.result({ missing }, cells.join('  '));
}

function summaryText(
  { from, to, found, ...counts }: Record<Found, number> & Record<string, number | undefined>,
  { colors }: Output,
): string {
  const missing = counts.missing + counts.undelivered;
  const blocks = `Blocks ${from} to ${to}: ${found} events, ${counts.handled} have arrived`;
  const inProgress = counts['in-progress'] > 0 ? `, ${counts['in-progress']} in progress` : '';
  const unknown = counts.unknown > 0 ? `, ${colors.red(`${counts.unknown} with an unknown outcome`)}` : '';
  const waiting = inProgress + unknown;
  if (missing === 0) return `${blocks}${waiting}. ${colors.green('Nothing is missing.')}`;
  const logged = counts.undelivered > 0 ? ` (${counts.undelivered} of them logged as undelivered)` : '';
  return `${blocks}${waiting}, ${colors.red(`${missing} missing`)}${logged}.`;
}

/** Masks the parts of a node's URL that may be a key. */
function hideUrl({ username, password, pathname, search }: URL, output: Output): void {
  for (const part of [username, password, pathname.slice(1), search.slice(1)]) if (part !== '') output.hide(part);
}

/** Warnings of the library, as notes. */
function notes(output: Output): Logger {
  const note = (_: object, message: string) => output.note(forOptions(message));
  return { debug() {}, info() {}, warn: note, error: note };
}

/** A message of the library with the option names of this command. */
const forOptions = (message: string) =>
  message.replace(/set `?level: \{ confirmations: n \}`?/, 'use --confirmations').replace(/`from`/g, '--from');

export const command = shared.command(define, run, {
  examples: [
    [
      'reconcile --rpc http://127.0.0.1:8545 --contract 0x5FbDB2315678afecb367f032d93F642f64180aa3=token.json --receiver ./webhooks.js --from 21000000',
      'What the receiver has not handled',
    ],
    [
      'reconcile --rpc http://127.0.0.1:8545 --contract 0x5FbDB2315678afecb367f032d93F642f64180aa3=token.json --webhook 12 --json',
      'What the service has not delivered, one JSON document a line',
    ],
  ],
  exitCodes: { 0: 'nothing is missing', 1: 'events are missing' },
});
