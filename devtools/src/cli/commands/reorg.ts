import { BaseError, createClient, http } from 'viem';
import { replaceBlocks } from '../anvil/replace-blocks.js';
import { CommandError, inputError } from '../command-error.js';
import type { Context, ExitCode } from '../context.js';
import { integer, url } from '../program/options.js';
import * as shared from '../program/shared-options.js';
import { readUrl } from '../urls.js';

const define = (own: shared.Own) =>
  own
    .description(
      `${own.summary()}.

Needs anvil, such as the one of \`emulate --anvil\`, which prints its URL. The new blocks are empty. The events of the old ones are delivered again as removed, and a receiver with \`reorgs\` reverts their effects. Transfers after the re-org get new blocks.`,
    )
    .addOption(url('--rpc <url>', 'URL of the chain, or its port on this machine').makeOptionMandatory())
    .addOption(integer('--depth <blocks>', 'How many blocks to replace', 1, 1_000_000).default(3));

type Options = shared.OptionsOf<typeof define>;

async function run({ options, output, signal }: Context<Options>): Promise<ExitCode> {
  const { origin, href } = readUrl(options.rpc, '--rpc');
  const client = createClient({ transport: http(href, { timeout: 10_000, retryCount: 0, fetchOptions: { signal } }) });
  await replaceBlocks(client, options.depth).catch((error: Error) => {
    if (!(error instanceof BaseError)) throw inputError(`No re-org: ${error.message}`);
    // The message of viem contains the URL, which may contain a key.
    throw new CommandError('ERR_CLI_UNREACHABLE', `No re-org: ${origin} does not answer as anvil does.`);
  });
  const { depth } = options;
  output.result({ reorg: { depth } }, `Replaced the last ${depth === 1 ? 'block' : `${depth} blocks`}.`);
  return 0;
}

export const command = shared.command(define, run, {
  examples: [
    ['reorg --rpc 8545', 'Replace the last 3 blocks'],
    ['reorg --rpc http://127.0.0.1:8545 --depth 12', 'Replace the last 12 blocks'],
  ],
});
