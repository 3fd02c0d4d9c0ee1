import { Option } from '@commander-js/extra-typings';
import { isWebhookError, type Logger } from 'event-webhook-receiver';
import { createLocalService } from '../../service/create-local-service.js';
import { type ChainSource, readChainOptions, sampleOf, startChain } from '../anvil/chain-source.js';
import { inputError } from '../command-error.js';
import type { Context, ExitCode } from '../context.js';
import { createDesk, listening } from '../desk.js';
import { localActions, localSecrets, recordOf } from '../local-source.js';
import type { Output } from '../output.js';
import { number, text, texts, url } from '../program/options.js';
import * as shared from '../program/shared-options.js';
import { readWanted, registerWanted } from '../registrations.js';
import { readApiKey } from '../secrets.js';

const define = (own: shared.Own) =>
  own
    .description(
      `Run the service on this machine, for development and tests.

Serves the registration API at http://127.0.0.1:4000/api/v0/webhooks and delivers signed events to the registered webhooks, with retries. The inspector page can inject faults.

With --rpc it watches a chain. With --anvil it starts a chain with a sample token and one transfer a second; anvil comes from ANVIL or the PATH, to which npx adds node_modules/.bin, and is never downloaded. The key x makes a re-org of 3 blocks, and the command reorg one of any depth. Without either, the page sends sample events.`,
    )
    .addOption(shared.port('the API', 4000))
    .addOption(text('--file <file>', 'Keep webhooks, secrets and deliveries in this file across restarts'))
    .addOption(texts('--register <label=url>', 'Register this webhook at the start and print its secret once'))
    .addOption(text('--secret-out <file>', 'With one --register: write its secret to this file instead'))
    .addOption(url('--rpc <url>', 'Watch the chain of this node').conflicts('anvil'))
    .addOption(texts('--contract <address=abi.json:label>', 'Deliver the events of this contract; label optional'))
    .addOption(texts('--wallet <address>', 'Deliver the transactions of this wallet'))
    .addOption(new Option('--anvil', 'Start anvil with a sample token and watch it'))
    .addOption(
      number('--interval <seconds>', 'With --anvil: time between transfers; 0 sends none', 0, 86_400).default(1),
    )
    .addOption(shared.headers)
    .addOption(shared.apiKeyFile);

type Options = shared.OptionsOf<typeof define>;

async function run(context: Context<Options>): Promise<ExitCode> {
  const { options, output, env, signal, now } = context;
  const { port, file, secretOut } = options;
  const wantedChain = await readChainOptions(options, env);
  const wanted = readWanted(options.register ?? [], secretOut);
  const hasKey = options.apiKeyFile !== undefined || Boolean(env.WEBHOOK_API_KEY);
  const apiKey = hasKey ? await readApiKey(context) : undefined;
  let chain: ChainSource | undefined;
  const desk = createDesk(context, { contracts: () => chain?.contracts ?? new Map() });

  try {
    const service = await listening(port, () =>
      createLocalService({
        ...{ port, file, headers: desk.headers, now, onChange: desk.stateChanged, logger: notesOf(output) },
        onDelivery: (delivery) => desk.showAttempt(recordOf(delivery, now())),
        apiKeys: apiKey === undefined ? undefined : [apiKey],
      }),
    );
    desk.closeLater(() => service.close());
    desk.startPrinting(localSecrets(service));
    const key = apiKey === undefined ? service.apiKeys[0] : undefined;
    const api = `${service.url}/api/v0/webhooks`;
    output.result({ service: { url: service.url, apiKey: key } }, `API: ${api}${key ? `\n  API key: ${key}` : ''}`);
    for (const each of wanted) await registerWanted(each, { service, secretOut, output });

    if (wantedChain) chain = await startChain(wantedChain, service, { output, signal });
    if (chain) {
      const { view, watched: contracts, close } = chain;
      desk.closeLater(close);
      const labels = contracts.map(({ label, address }) => `, ${label} ${address}`);
      output.result({ chain: { ...view, contracts } }, `Chain: ${view.rpcUrl}, id ${view.chainId}${labels.join('')}`);
    }
    const actions = localActions(service, () => sampleOf(service, chain));
    const page = await desk.servePage({
      mode: 'emulate',
      url: service.url,
      secretFile: secretOut,
      actions,
      state: () => ({
        ...{ webhooks: service.webhooks(), faults: service.faults, queue: service.queues(), chain: chain?.view },
      }),
    });
    output.result({ page }, `Page: ${page}`);
    await desk.untilStopped({
      resend: async (record) => actions.resend?.(record),
      reorg: chain?.token?.reorg,
      held: () =>
        service
          .queues()
          .map(({ waiting, behind }) => `${waiting} waiting behind #${behind}`)
          .join(', '),
    });
  } catch (error) {
    if (signal.aborted) return 0;
    const isInput = isWebhookError(error) && ['ERR_WEBHOOK_CONFIG', 'ERR_WEBHOOK_RPC'].includes(error.code);
    throw isInput ? inputError(error.message) : error;
  } finally {
    await desk.end();
  }
  return 0;
}

/**
 * Prints the warnings of the service, except those about deliveries, which have their own lines. For a chain that does
 * not answer, it prints the first failure, and that the chain answers again.
 */
export function notesOf(output: Pick<Output, 'note'>): Logger {
  let isLost = false;
  function note(fields: object, message: string): void {
    if ('deliveryId' in fields) return;
    const { err, blockNumber, delayMs } = fields as { err?: unknown; blockNumber?: unknown; delayMs?: unknown };
    const isRetry = err instanceof Error && blockNumber !== undefined && delayMs !== undefined;
    if (!isRetry) output.note(message);
    else if (!isLost) output.note(`${err.message} Trying again until it answers.`);
    isLost ||= isRetry;
  }
  return {
    debug() {},
    info(fields, message) {
      if (isLost && 'blockNumber' in fields) {
        isLost = false;
        output.note(message);
      }
    },
    warn: note,
    error: note,
  };
}

export const command = shared.command(define, run, {
  examples: [
    ['emulate --anvil --register shop=localhost:3000/webhooks', 'The whole system on this machine'],
    ['emulate --file state.sqlite', 'Keep the registered webhooks'],
    [
      'emulate --rpc http://127.0.0.1:8545 --contract 0x5FbDB2315678afecb367f032d93F642f64180aa3=token.json:token',
      'Watch a contract',
    ],
  ],
  exitCodes: { 0: 'never: the command runs until it is stopped' },
});
