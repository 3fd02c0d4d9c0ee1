import { moreHelp } from './help.js';
import { integer, number, text, url } from './options.js';
import type { AddCommand } from './shared-options.js';
import * as shared from './shared-options.js';

export const addListen: AddCommand = (program, start) => {
  program
    .command('listen')
    .summary('Receive deliveries, verify them, and print and show them')
    .description(
      `Receive deliveries, verify them, and print and show them.

Each delivery, on any path, is verified as an app would verify it, printed, and shown on the inspector page.

With --forward, authentic deliveries are forwarded with the same bytes and headers, and the sender receives the target's status, or 503 if the target cannot be reached. Redirects are not followed. Refused deliveries are not forwarded.

A thread with a time and memory limit finds out why a delivery was refused, so it never delays the next delivery. In a flood of forgeries, some are printed without an explanation and the rest are counted.

The page can resend an authentic delivery to the target: the same bytes, signed with the current time.`,
    )
    .addOption(shared.port('the listener').default(3000))
    .addOption(shared.host('the listener'))
    .addOption(url('--forward <url>', 'Forward authentic deliveries to this URL, or port, and relay its status'))
    .addOption(number('--forward-timeout <seconds>', 'Time limit of the target', 0.1, 600).default(30))
    .addOption(
      integer(
        '--respond <status>',
        'Answer authentic deliveries with this status instead of forwarding them, such as 503 (with Retry-After) to see retries',
        200,
        599,
      ),
    )
    .addOption(
      text(
        '--record <file>',
        'Append every delivery to this file, for `replay` and `explain`. Only you can read the file; links are refused',
      ),
    )
    .addOption(
      integer(
        '--record-limit <MiB>',
        'Largest size of that file: three quarters for authentic deliveries, a quarter for others. Deliveries beyond it are not recorded',
        1,
        1_000_000,
      ).default(64),
    )
    .addOption(shared.tolerance())
    .addOption(shared.events())
    .addOption(shared.filter())
    .addOption(url('--rpc <url>', 'Read symbol and decimals of tokens from this node'))
    .addOption(shared.explorer())
    .addOption(shared.noPage())
    .addOption(shared.pagePort())
    .addOption(shared.headers())
    .addOption(shared.signatureHeader())
    .addOption(shared.timestampHeader())
    .addOption(shared.secretFile())
    .addHelpText(
      'after',
      moreHelp({
        examples: [
          ['listen', 'Listen at http://127.0.0.1:3000/, any path'],
          ['listen --port 4100 --forward localhost:3000/webhooks', 'Watch what your app receives'],
          ['listen --record deliveries.ndjson --no-page', 'Record deliveries'],
        ],
        exitCodes: { 0: 'never: the command runs until it is stopped' },
      }),
    )
    .action((options) =>
      start(options, async (context) => await (await import('../commands/listen.js')).listen(context)),
    );
};
