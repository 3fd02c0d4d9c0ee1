import { sampleEventEmitted, sampleTransactionIncluded } from 'event-webhook-receiver/testing';
import type { Context, ExitCode } from '../context.js';
import { headerNames } from '../header-names.js';
import { choice, choices, integer, text, texts } from '../program/options.js';
import * as shared from '../program/shared-options.js';
import { readSecret } from '../secrets.js';
import { contractSamples } from '../send/contract-samples.js';
import { deliverAll, type Job } from '../send/deliver-all.js';
import { fileParcel, sampleParcel, type Unsigned } from '../send/parcels.js';
import { type TamperName, tamperNames, tamperRows } from '../send/tamper.js';
import { readUrl } from '../urls.js';

const KINDS = ['event.emitted', 'transaction.included'] as const;

const define = (own: shared.Own) =>
  own
    .description(
      `Send signed deliveries to a receiver: samples, events of your contract's ABI, or a file.

Without options, one sample event is sent. Each delivery has new events, unless --id is given, and is signed with the current time when it is sent. Redirects are not followed.`,
    )
    .argument('[url]', `URL of the receiver (default: ${shared.DEFAULT_URL})`)
    .addOption(choice('--kind <kind>', KINDS, 'Kind of the sample events').default('event.emitted' as const))
    .addOption(integer('--count <n>', 'Sample events in each delivery', 1, 10_000).default(1))
    .addOption(text('--id <id>', 'Id of the sample events, to send an event again'))
    .addOption(text('--file <file>', 'Send the bytes of this file, - for stdin').conflicts(['id', 'abi']))
    .addOption(text('--abi <file>', 'Samples of an event of this ABI, or artifact of a compiler'))
    .addOption(text('--event <name>', 'The event of the ABI: its name, or its signature if several have the name'))
    .addOption(texts('--arg <name=value>', 'An argument of it; arrays and tuples in JSON. The others are samples'))
    .addOption(text('--contract <address>', 'Address of the contract'))
    .addOption(integer('--repeat <n>', 'How often to send', 1, 1_000_000).default(1))
    .addOption(
      choices(
        '--tamper <how>',
        [...tamperNames, 'all'],
        'Break the delivery in a way below, to check that it is refused',
      ),
    )
    .addOption(shared.concurrency)
    .addOption(shared.timeout)
    .addOption(shared.headers)
    .addOption(shared.secretFile);

type Options = shared.OptionsOf<typeof define>;

async function run(context: Context<Options>, to = shared.DEFAULT_URL): Promise<ExitCode> {
  const { repeat, tamper } = context.options;
  const url = readUrl(to, 'The receiver');
  const makeNext = await bodies(context);
  const secret = await readSecret(context);
  const ways = new Set(tampersOf(context.options));
  const sending = { url, secret, total: repeat * ways.size, mustRefuse: tamper !== undefined };
  return await deliverAll(jobs(makeNext, ways, context), sending, context);
}

/** The tampers to apply to each delivery; undefined leaves it intact. */
const tampersOf = ({ tamper }: Options): readonly (TamperName | undefined)[] => {
  if (tamper === undefined) return [undefined];
  return tamper.includes('all') ? tamperNames : (tamper as readonly TamperName[]);
};

/** Returns a function that creates the delivery of each round. */
async function bodies({ options, stdin, output }: Context<Options>): Promise<() => Unsigned> {
  const names = headerNames(options);
  const { file, kind, count, id } = options;
  const sample = kind === 'event.emitted' ? sampleEventEmitted : sampleTransactionIncluded;
  const make = (await contractSamples(options, output)) ?? sample;
  const one = () => ({ ...make(), ...(id !== undefined && { id }) });
  if (file === undefined) return () => sampleParcel(Array.from({ length: count }, one), names);
  const parcel = await fileParcel(file, stdin, names);
  return () => parcel;
}

/** Yields the deliveries to send, in order. Ends when the command is stopped. */
async function* jobs(
  makeNext: () => Unsigned,
  ways: ReadonlySet<TamperName | undefined>,
  { options, signal }: Context<Options>,
): AsyncGenerator<Job> {
  for (let round = 0; round < options.repeat; round++) {
    const unsigned = makeNext();
    for (const tamper of ways) {
      if (signal.aborted) return;
      yield { unsigned, tamper };
    }
  }
}

export const command = shared.command(define, run, {
  terms: { title: 'Ways to tamper:', rows: [...tamperRows, ['all', 'each of these in turn']] },
  examples: [
    ['send', `One sample event to ${shared.DEFAULT_URL}, signed with WEBHOOK_SECRET`],
    ['send --file body.json --secret-file secret.txt --headers multibaas', 'The bytes of a file'],
    ['send --abi token.json --event Transfer --arg value=1500000', "An event of a contract's ABI"],
    ['send --kind transaction.included --count 3', 'Three events of the other kind in one delivery'],
    ['send --id order-1', 'The same event each time, to see a duplicate'],
    ['send --tamper all', 'Check that the receiver refuses every forgery'],
    ['send --repeat 1000 --concurrency 20 --json', 'A thousand deliveries, results as JSON'],
  ],
  exitCodes: {
    0: 'every delivery was answered with 2xx; with --tamper, every one was refused (400, 401, 403 or 422)',
    1: 'a delivery was answered otherwise, or not in time',
    2: 'wrong usage, bad input, or nothing listens at the URL',
  },
});
