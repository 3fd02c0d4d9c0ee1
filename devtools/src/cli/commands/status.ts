import type { Receiver } from 'event-webhook-receiver';
import { CommandError, inputError } from '../command-error.js';
import type { Context, ExitCode } from '../context.js';
import * as shared from '../program/shared-options.js';
import { readReceiver } from '../reconcile/read-receiver.js';
import { fieldsText } from '../text-table.js';

type Records = Awaited<ReturnType<Receiver['status']>>;

const MODULE = './webhooks.js';

const define = (own: shared.Own) =>
  own
    .description(
      `${own.summary()}.

An id is looked up in all sources. A store that finds no ids takes idempotency keys. --receiver imports a module, which must not start anything.`,
    )
    .argument('<id>', 'Id of the event, or its idempotency key')
    .addOption(shared.receiver().makeOptionMandatory());

type Options = shared.OptionsOf<typeof define>;

async function run({ options, output }: Context<Options>, id: string): Promise<ExitCode> {
  const receiver = (await readReceiver(options.receiver)) as Receiver;
  if (typeof receiver.status !== 'function') {
    throw inputError('The receiver of --receiver is of a version that has no `status`.');
  }
  const records = await read(receiver, id);
  for (const record of records) output.result(record, `${fieldsText(record)}\n`);
  if (records.length > 0) return 0;
  output.note('No record: the event did not arrive, its run was rolled back, or the store forgot its key.');
  return 1;
}

async function read(receiver: Receiver, id: string): Promise<Records> {
  try {
    const byKey = await receiver.status(id);
    return byKey.length > 0 ? byKey : await receiver.status({ eventId: id });
  } catch (error) {
    throw new CommandError('ERR_CLI_UNREACHABLE', (error as Error).message);
  }
}

export const command = shared.command(define, run, {
  examples: [
    [`status 12 --receiver ${MODULE}`, 'By the id of the event'],
    [`status event.emitted:12 --json --receiver ${MODULE}`, 'By its idempotency key, one JSON document a line'],
  ],
  exitCodes: { 1: 'there is no record' },
});
