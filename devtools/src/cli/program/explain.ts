import { moreHelp } from './help.js';
import { text, texts } from './options.js';
import type { AddCommand } from './shared-options.js';
import * as shared from './shared-options.js';

export const addExplain: AddCommand = (program, start) => {
  program
    .command('explain')
    .summary('Explain why a delivery does not verify, and how to fix it')
    .description(
      `Explain why a delivery does not verify, and how to fix it.

Tries common mistakes: a body that was parsed and serialized again, a secret with a line break, a timestamp in milliseconds, and many more. Without --recording, --request or --body-file, a request is read from stdin.`,
    )
    .addOption(text('--recording <file>', 'A delivery that `listen --record` wrote').conflicts(['request', 'bodyFile']))
    .addOption(shared.nth())
    .addOption(text('--request <file>', 'A raw HTTP request: headers, an empty line, the body').conflicts('bodyFile'))
    .addOption(text('--body-file <file>', 'The raw body alone'))
    .addOption(text('--signed <file>', 'The body as it was signed: shows how the received one differs'))
    .addOption(text('--signature <text>', 'With --body-file: the signature header as received'))
    .addOption(text('--timestamp <text>', 'With --body-file: the timestamp header as received'))
    .addOption(
      text('--now <time>', 'Time of arrival: Unix seconds or ISO 8601 (default: time of the recording, or now)'),
    )
    .addOption(shared.tolerance())
    .addOption(shared.headers())
    .addOption(shared.signatureHeader())
    .addOption(shared.timestampHeader())
    .addOption(texts('--secret-file <file>', 'File with a signing secret, - for stdin (default: WEBHOOK_SECRET)'))
    .addOption(
      texts('--other-secret-file <label=file>', 'File with the secret of another webhook that may have signed it'),
    )
    .addHelpText(
      'after',
      moreHelp({
        examples: [
          ['explain --recording deliveries.ndjson --nth 2', 'A delivery that listen --record wrote'],
          [
            'explain --body-file body.json --signature 5d41… --timestamp 1700000000 --now 1700000001',
            'A body and its two headers',
          ],
          ['explain --request request.txt --headers multibaas', 'A saved raw request'],
          [
            'explain --recording deliveries.ndjson --secret-file new.txt --secret-file old.txt --other-secret-file orders=orders.txt --json',
            'Every secret that may have signed the delivery',
          ],
        ],
        exitCodes: { 0: 'the delivery is authentic and fresh', 1: 'a receiver refuses it: see the findings' },
      }),
    )
    .action((options) =>
      start(options, async (context) => await (await import('../commands/explain.js')).explain(context)),
    );
};
