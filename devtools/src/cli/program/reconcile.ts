import { Option } from '@commander-js/extra-typings';
import { moreHelp } from './help.js';
import { integer, text, texts, url } from './options.js';
import type { AddCommand } from './shared-options.js';
import * as shared from './shared-options.js';

export const addReconcile: AddCommand = (program, start) => {
  program
    .command('reconcile')
    .summary('Find the events of a chain that never arrived, without handling them')
    .description(
      `Find the events of a chain that never arrived, without handling them.

Reads the events of contracts from a node, up to the last final block, and looks for each of them: with --receiver in the store of a receiver, with --webhook in the delivery log of the service. Prints those that are missing. To make them good, call reconcile of event-webhook-receiver/chain in your program.

--receiver imports a module, which must not start anything. It takes its default export, the export \`receiver\`, or the one after #.`,
    )
    .addOption(url('--rpc <url>', 'JSON-RPC of a node of the chain. Only its origin is printed').makeOptionMandatory())
    .addOption(
      texts('--contract <address=abi.json:label>', 'Look for the events of this contract. The label is optional'),
    )
    .addOption(text('--receiver <file>', 'Module that exports the receiver; file.js#name for another export'))
    .addOption(text('--source <name>', "The source that the receiver's secret function returns for these events"))
    .addOption(new Option('--no-source', "The receiver's secret function returns no source"))
    .addOption(text('--webhook <id>', 'Compare with the delivery log of this webhook').conflicts('receiver'))
    .addOption(integer('--from <block>', 'First block', 0, 1e15).default(0))
    .addOption(integer('--to <block>', 'Last block, which must be final (default: the last final one)', 0, 1e15))
    .addOption(integer('--chain-id <id>', 'Refuse a node of another chain', 1, 1e15))
    .addOption(
      integer(
        '--confirmations <n>',
        'Read up to the block with this many confirmations, not the finalized one',
        1,
        1e9,
      ),
    )
    .addOption(shared.baseUrl())
    .addOption(shared.callTimeout())
    .addOption(shared.apiKeyFile())
    .addHelpText(
      'after',
      moreHelp({
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
      }),
    )
    .action((options) =>
      start(options, async (context) => await (await import('../commands/reconcile.js')).reconcile(context)),
    );
};
