import { TAMPERS, tamperNames } from '../send/tamper-names.js';
import { moreHelp } from './help.js';
import { choice, choices, integer, number, text } from './options.js';
import type { AddCommand } from './shared-options.js';
import * as shared from './shared-options.js';

export const DEFAULT_URL = 'http://127.0.0.1:3000/webhooks';

export const addSend: AddCommand = (program, start) => {
  program
    .command('send')
    .summary('Send signed deliveries to a receiver: samples, or a file')
    .description(
      `Send signed deliveries to a receiver: samples, events of your contract's ABI, or a file.

Without options, one sample event is sent. Each delivery is signed with the current time when it is sent. Redirects are not followed.`,
    )
    .argument('[url]', `URL of the receiver (default: ${DEFAULT_URL})`)
    .addOption(choice('--kind <kind>', shared.EVENT_KINDS, 'Kind of the sample events (default: event.emitted)'))
    .addOption(integer('--count <n>', 'Sample events per delivery (default: 1)', 1, 10_000))
    .option('--fresh', 'With --repeat: new sample events each time')
    .addOption(
      text('--file <file>', 'Send the bytes of this file, - for stdin').conflicts(['kind', 'count', 'fresh', 'abi']),
    )
    .addOption(
      text(
        '--abi <file>',
        'Samples of an event of this ABI: JSON, or an artifact of Hardhat, Foundry or Truffle',
      ).conflicts('kind'),
    )
    .addOption(text('--event <name>', 'The event of the ABI: its name, or its signature if several have the name'))
    .addOption(
      text(
        '--args <list>',
        'Its arguments, name=value,… or value,…; arrays and tuples in JSON. The others are samples',
      ),
    )
    .addOption(integer('--decimals <n>', 'Decimals of the arguments that are written with a decimal point', 0, 77))
    .addOption(text('--contract <address>', 'Address of the contract'))
    .option('--removed', 'The notice that a re-org removed the log')
    .addOption(shared.set())
    .addOption(shared.remove())
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
          ['send --abi token.json --event Transfer --args value=1.5 --decimals 18', "An event of a contract's ABI"],
          ['send --set data.event.name=Approval --remove data.transaction', 'An edited sample'],
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
