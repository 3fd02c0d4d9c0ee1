import { sampleEventEmitted, sampleTransactionIncluded } from 'event-webhook-receiver/testing';
import type { Context, ExitCode } from '../context.js';
import { editBody } from '../edit/edit-json.js';
import { type EditOptions, readEdits } from '../edit/read-edits.js';
import { type HeaderOptions, headerNames } from '../header-names.js';
import { readSecret, type SecretOptions } from '../secrets.js';
import { type AbiOptions, contractSamples } from '../send/abi/contract-samples.js';
import { deliverAll, type Job } from '../send/deliver-all.js';
import { fileParcel, sampleParcel, type Unsigned } from '../send/parcels.js';
import { type TamperName, tamperNames } from '../send/tamper-names.js';
import type { EventKind } from '../service.js';
import { readUrl } from '../urls.js';

interface SendOptions extends HeaderOptions, SecretOptions, AbiOptions, EditOptions {
  readonly kind?: EventKind | undefined;
  readonly count?: number | undefined;
  readonly fresh?: true | undefined;
  readonly file?: string | undefined;
  readonly repeat: number;
  readonly tamper?: readonly (TamperName | 'all')[] | undefined;
  readonly concurrency: number;
  /** Seconds. */
  readonly timeout: number;
}

type SendContext = Context<SendOptions>;

export async function send(to: string, context: SendContext): Promise<ExitCode> {
  const { repeat, tamper } = context.options;
  const url = readUrl(to, 'The receiver');
  const makeNext = await bodies(context);
  const secret = await readSecret(context);
  const ways = new Set(tampersOf(context.options));
  const sending = { url, secret, total: repeat * ways.size, tampered: tamper !== undefined };
  return await deliverAll(jobs(makeNext, ways, context), sending, context);
}

/** The ways in which each delivery is broken; undefined: not at all. */
const tampersOf = ({ tamper }: SendOptions): readonly (TamperName | undefined)[] => {
  if (tamper === undefined) return [undefined];
  return tamper.includes('all') ? tamperNames : (tamper as readonly TamperName[]);
};

/** A function that makes the delivery of each round. */
async function bodies({ options, stdin, output }: SendContext): Promise<() => Unsigned> {
  const names = headerNames(options);
  const edits = readEdits(options);
  const { file, kind = 'event.emitted', count = 1, fresh } = options;
  const edited = (unsigned: Unsigned): Unsigned => ({ ...unsigned, body: editBody(unsigned.body, edits) });
  const sample = kind === 'event.emitted' ? sampleEventEmitted : sampleTransactionIncluded;
  const make = (await contractSamples(options, output)) ?? sample;
  const next = () => edited(sampleParcel(make, count, names));
  if (fresh) return next;
  const fixed = file === undefined ? next() : edited(await fileParcel(file, stdin, names));
  return () => fixed;
}

/** What to send, in order. Ends when the command is stopped. */
async function* jobs(
  makeNext: () => Unsigned,
  ways: ReadonlySet<TamperName | undefined>,
  { options, signal }: SendContext,
): AsyncGenerator<Job> {
  for (let round = 0; round < options.repeat; round++) {
    const unsigned = makeNext();
    for (const tamper of ways) {
      if (signal.aborted) return;
      yield { unsigned, tamper };
    }
  }
}
