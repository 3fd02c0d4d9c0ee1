import { Option } from '@commander-js/extra-typings';
import { moreHelp } from './help.js';
import { integer, number } from './options.js';
import { DEFAULT_URL } from './send.js';
import type { AddCommand } from './shared-options.js';
import * as shared from './shared-options.js';

export const addReplay: AddCommand = (program, start) => {
  program
    .command('replay')
    .summary('Send the deliveries of a recording again, with the time between them')
    .description(
      `Send the deliveries that \`listen --record\` wrote again: the same bytes and headers, in order, with the time between them.

Each delivery is signed with the current time when it is sent. Redirects are not followed.`,
    )
    .argument('<recording>', 'The recording')
    .argument('[url]', `URL of the receiver (default: ${DEFAULT_URL})`)
    .addOption(shared.nth())
    .option('--authentic', 'Leave out deliveries that did not verify when they were recorded')
    .addOption(number('--speed <factor>', 'Shorten the gaps by this factor', 0.01, 1_000_000).default(1))
    .option('--no-gaps', 'Send without waiting')
    .addOption(shared.set())
    .addOption(shared.remove())
    .addOption(
      new Option('--as-recorded', 'Send the recorded signature and timestamp; needs no secret').conflicts([
        ...['set', 'remove'],
      ]),
    )
    .addOption(integer('--concurrency <n>', 'Deliveries in flight at once', 1, 1000).default(1))
    .addOption(number('--timeout <seconds>', 'Time limit of a response', 0.01, 600).default(10))
    .addOption(shared.headers())
    .addOption(shared.signatureHeader())
    .addOption(shared.timestampHeader())
    .addOption(shared.secretFile())
    .addHelpText(
      'after',
      moreHelp({
        examples: [
          ['replay deliveries.ndjson', `Every delivery, to ${DEFAULT_URL}`],
          ['replay deliveries.ndjson http://127.0.0.1:8080/hooks --speed 60', 'An hour in a minute'],
          ['replay deliveries.ndjson --nth 2 --set data.event.name=Approval', 'One delivery, edited'],
          ['replay deliveries.ndjson --as-recorded --no-gaps', 'With the old signatures, which are refused as stale'],
        ],
        exitCodes: {
          0: 'every delivery was answered with 2xx',
          1: 'a delivery was answered otherwise, or not in time',
          2: 'wrong usage, bad input, or nothing listens at the URL',
        },
      }),
    )
    .action((recording, url, options) =>
      start(options, async (context) =>
        (await import('../commands/replay.js')).replay(recording, url ?? DEFAULT_URL, context),
      ),
    );
};
