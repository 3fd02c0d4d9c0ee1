import { Option } from '@commander-js/extra-typings';
import { moreHelp } from './help.js';
import { number, text, texts, url } from './options.js';
import type { AddCommand } from './shared-options.js';
import * as shared from './shared-options.js';

export const addEmulate: AddCommand = (program, start) => {
  program
    .command('emulate')
    .summary('Run the service on this machine: registration, signed deliveries, and a chain to watch')
    .description(
      `Run the service on this machine, for development and tests.

Serves the registration API at http://127.0.0.1:4000/api/v0/webhooks and delivers signed events to the registered webhooks, with retries. The inspector page can inject faults.

With --rpc it watches a chain. With --anvil it starts a chain with a sample token and one transfer a second; anvil comes from ANVIL, the PATH or node_modules/.bin, and is never downloaded. Without either, the page sends sample events.`,
    )
    .addOption(shared.port('the API').default(4000))
    .addOption(shared.host('the API'))
    .addOption(text('--file <file>', 'Keep webhooks, secrets and deliveries in this file across restarts'))
    .addOption(texts('--register <label=url>', 'Register this webhook at the start and print its secret once'))
    .addOption(
      text(
        '--secret-out <file>',
        'With one --register: write the secret to this file instead, replacing that of an earlier run',
      ),
    )
    .addOption(url('--rpc <url>', 'Watch the chain of this node').conflicts('anvil'))
    .addOption(
      texts('--contract <address=abi.json:label>', 'Deliver the events of this contract. The label is optional'),
    )
    .addOption(texts('--wallet <address>', 'Deliver the transactions of this wallet'))
    .addOption(new Option('--anvil', 'Start anvil with a sample token and watch it'))
    .addOption(shared.explorer())
    .addOption(
      number(
        '--interval <seconds>',
        'With --anvil: time between transfers; 0 sends only those that the page requests',
        0,
        86_400,
      ).default(1),
    )
    .addOption(shared.events())
    .addOption(shared.filter())
    .addOption(shared.noPage())
    .addOption(shared.pagePort())
    .addOption(shared.headers())
    .addOption(shared.signatureHeader())
    .addOption(shared.timestampHeader())
    .addOption(shared.apiKeyFile())
    .addHelpText(
      'after',
      moreHelp({
        examples: [
          ['emulate --anvil --register shop=localhost:3000/webhooks', 'The whole system on this machine'],
          ['emulate --file state.sqlite', 'Keep the registered webhooks'],
          [
            'emulate --rpc http://127.0.0.1:8545 --contract 0x5FbDB2315678afecb367f032d93F642f64180aa3=token.json:token',
            'Watch a contract',
          ],
        ],
        exitCodes: { 0: 'never: the command runs until it is stopped' },
      }),
    )
    .action((options) =>
      start(options, async (context) => await (await import('../commands/emulate.js')).emulate(context)),
    );
};
