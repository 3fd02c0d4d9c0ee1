import { Option } from '@commander-js/extra-typings';
import { TAMPERS, tamperNames } from '../send/tamper-names.js';
import { moreHelp } from './help.js';
import { choice, choices, integer, number, text } from './options.js';
import type { AddCommand } from './shared-options.js';
import * as shared from './shared-options.js';

export const DEFAULT_URL = 'http://127.0.0.1:3000/webhooks';

export const addSend: AddCommand = (program, start) => {
  program
    .command('send')
    .summary('Send signed deliveries to a receiver: samples, a file, or a recording')
    .description(
      `Send signed deliveries to a receiver: samples, a file, or a recording.

Without options, one sample event is sent. Each delivery is signed with the current time when it is sent. Redirects are not followed.`,
    )
    .argument('[url]', `URL of the receiver (default: ${DEFAULT_URL})`)
    .addOption(choice('--kind <kind>', shared.EVENT_KINDS, 'Kind of the sample events (default: event.emitted)'))
    .addOption(integer('--count <n>', 'Sample events per delivery (default: 1)', 1, 10_000))
    .option('--fresh', 'With --repeat: new sample events each time')
    .addOption(
      text('--file <file>', 'Send the bytes of this file unchanged, - for stdin').conflicts([
        ...['recording', 'kind', 'count', 'fresh'],
      ]),
    )
    .addOption(
      text(
        '--recording <file>',
        'Send deliveries that `listen --record` wrote: the same bytes, signed again',
      ).conflicts([...['kind', 'count', 'fresh']]),
    )
    .addOption(shared.nth().conflicts('all'))
    .option('--all', 'Send every delivery of the recording')
    .addOption(
      new Option('--as-recorded', 'Send the recorded signature and timestamp; needs no secret').conflicts('tamper'),
    )
    .addOption(integer('--repeat <n>', 'How often to send', 1, 1_000_000).default(1))
    .addOption(choices('--tamper <how>', [...tamperNames, 'all'], 'Break the delivery, to check that it is refused'))
    .addOption(integer('--concurrency <n>', 'Deliveries in flight at once', 1, 1000).default(1))
    .addOption(number('--timeout <seconds>', 'Time limit of a response', 0.01, 600).default(10))
    .addOption(shared.headers())
    .addOption(shared.signatureHeader())
    .addOption(shared.timestampHeader())
    .addOption(shared.secretFile())
    .addHelpText(
      'after',
      moreHelp({
        terms: { title: 'Ways to tamper:', rows: [...Object.entries(TAMPERS), ['all', 'each of these in turn']] },
        examples: [
          ['send', `One sample event to ${DEFAULT_URL}, signed with WEBHOOK_SECRET`],
          ['send http://127.0.0.1:8080/hooks --kind transaction.included --count 3', 'Three events in one delivery'],
          ['send --file body.json --secret-file secret.txt --headers multibaas', 'The bytes of a file'],
          ['send --recording deliveries.ndjson --nth 2', 'A recorded delivery, signed with the current time'],
          ['send --tamper all', 'Check that the receiver refuses every forgery'],
          ['send --repeat 1000 --fresh --concurrency 20 --json', 'A thousand deliveries, results as JSON'],
        ],
        exitCodes: {
          0: 'every delivery was answered with 2xx; with --tamper, every one was refused (400, 401, 403 or 422)',
          1: 'a delivery was answered otherwise, or not in time',
          2: 'wrong usage, bad input, or nothing listens at the URL',
        },
      }),
    )
    .action((url, options) =>
      start(options, async (context) => await (await import('../commands/send.js')).send(url ?? DEFAULT_URL, context)),
    );
};
