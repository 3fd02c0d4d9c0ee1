import { Option } from '@commander-js/extra-typings';
import { isWebhookError } from 'event-webhook-receiver';
import { serviceHeaders } from 'event-webhook-receiver/verify';
import { createExplainer } from '../../confined/explainer.js';
import { createFeed } from '../../deliveries/feed.js';
import { verdictOf } from '../../deliveries/verdict.js';
import { lastOf } from '../../deliveries/views.js';
import { readFirstRun } from '../../page/first-run.js';
import { localActions, localSecrets, recordOf } from '../../page/local-source.js';
import { PageError } from '../../page/page-guard.js';
import { type PageOptions, type ServedPage, servePage } from '../../page/serve-page.js';
import { createLocalService } from '../../service/create-local-service.js';
import type { LocalDelivery } from '../../service/delivery.js';
import { type ChainSource, readChainOptions, startChain } from '../anvil/chain-source.js';
import { inputError } from '../command-error.js';
import { type Context, type ExitCode, untilAborted } from '../context.js';
import { createPrinter, type DeliveryPrinter } from '../delivery-printer.js';
import { headerNames } from '../header-names.js';
import { listening } from '../listening.js';
import { attemptStyle } from '../printed-delivery.js';
import { moreHelp } from '../program/help.js';
import { number, text, texts, url } from '../program/options.js';
import type { AddCommand, OptionsOf, Own } from '../program/shared-options.js';
import * as shared from '../program/shared-options.js';
import { readWanted, registerWanted } from '../registrations.js';
import { readApiKey } from '../secrets.js';
import { serviceNotes } from '../service-notes.js';
import { startInteractive } from '../terminal/interactive.js';
import { createLineFilter } from '../terminal/line-filter.js';
import { version } from '../version.js';

const define = (command: Own) =>
  command
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
    );

type Options = OptionsOf<typeof define>;

export const emulate: AddCommand = (command, start) => define(command).action((options) => start(options, run));

async function run(context: Context<Options>): Promise<ExitCode> {
  const { options, output, env, stdin, signal, now } = context;
  const wantedChain = await readChainOptions(options, env);
  const wanted = readWanted(options.register ?? [], options.secretOut);
  const headers = headerNames(options) ?? serviceHeaders;
  const hasKey = options.apiKeyFile !== undefined || Boolean(env.WEBHOOK_API_KEY);
  const apiKey = hasKey ? await readApiKey({ options, env, stdin, output }) : undefined;
  const feed = createFeed();
  const closing: (() => Promise<void>)[] = [];
  const shownVersion = version();
  let page: ServedPage | undefined;
  let chain: ChainSource | undefined;
  let printer: DeliveryPrinter | undefined;
  const contracts = () => chain?.contracts ?? new Map();
  const style = options.events ? (await import('../event-lines.js')).eventStyle(contracts) : attemptStyle;
  const filter = createLineFilter(options.filter, contracts);
  const explainer = createExplainer();
  const quit = new AbortController();

  function onDelivery(delivery: LocalDelivery): void {
    const before = feed.get(delivery.id);
    feed.put(recordOf(delivery, now()));
    const last = lastOf(delivery);
    // This is called at every change. An attempt gets its one line when it has ended.
    const isOld = before && lastOf(before).at === last.at && verdictOf(lastOf(before)) !== 'pending';
    if (isOld || verdictOf(last) === 'pending') return;
    printer?.print(delivery.id, { at: last.at, nextAttemptAt: delivery.nextAttemptAt });
  }

  try {
    const service = await listening('port', options.port, () =>
      createLocalService({
        ...{ port: options.port, host: options.host, file: options.file, headers, now, onDelivery },
        apiKeys: apiKey === undefined ? undefined : [apiKey],
        logger: serviceNotes(output),
        onChange: () => page?.stateChanged(),
      }),
    );
    closing.unshift(() => service.close());
    const sources = { headers, ...localSecrets(service) };
    printer = createPrinter({ feed, sources, explainer, output, style, filter, contracts });
    const key = apiKey === undefined ? service.apiKeys[0] : undefined;
    const api = `${service.url}/api/v0/webhooks`;
    output.result({ service: { url: service.url, apiKey: key } }, `API: ${api}${key ? `\n  API key: ${key}` : ''}`);
    for (const each of wanted) await registerWanted(each, { service, secretOut: options.secretOut, output });

    if (wantedChain) chain = await startChain(wantedChain, service, { output, signal });
    if (chain) {
      const { view, close } = chain;
      closing.unshift(close);
      const labels = view.contracts.map(({ label, address }) => `${label} ${address}`).join(', ');
      output.result({ chain: view }, `Chain: ${view.rpcUrl}, id ${view.chainId}${labels && `, ${labels}`}`);
    }
    const actions = localActions(service, () => sample());
    if (options.page) {
      const directory = process.cwd();
      // The file has the secret of a webhook that is there already.
      const registered = await readFirstRun({ directory, secretFile: options.secretOut });
      const firstRun = await readFirstRun({ directory });
      const pageOptions: PageOptions = {
        port: options.pagePort,
        ...{ feed, ...sources, explainer, contracts, actions },
        state: () => ({
          ...{ mode: 'emulate' as const, title: `Service at ${service.url}`, headers },
          ...{ webhooks: service.webhooks(), faults: service.faults, queue: service.queues(), chain: chain?.view },
          version: shownVersion,
          service: { url: service.url },
          firstRun: service.webhooks().length === 0 ? firstRun : registered,
        }),
      };
      page = await listening('page-port', options.pagePort, () => servePage(pageOptions));
      closing.unshift(page.close);
      output.result({ page: page.address }, `Page: ${page.address}`);
    }

    async function sample(): Promise<object> {
      if (chain?.sample) {
        const gone = () => Promise.reject(new PageError(503, 'The chain does not respond. Has anvil exited?'));
        return { transaction: await chain.sample().catch(gone) };
      }
      const { sampleEventEmitted } = await import('event-webhook-receiver/testing');
      const event = sampleEventEmitted();
      service.emit([event]);
      return { event: event.id };
    }
    if (filter.text !== '') output.note(`Only deliveries that contain "${filter.text}" are printed.`);
    const giveBack = startInteractive({
      ...{ context, feed, filter, printer, page: page?.address },
      resend: async (record) => actions.resend?.(record),
      held: () =>
        service
          .queues()
          .map(({ waiting, behind }) => `${waiting} waiting behind #${behind}`)
          .join(', '),
      quit: () => quit.abort(),
    });
    closing.unshift(giveBack);
    await Promise.race([untilAborted(signal), untilAborted(quit.signal)]);
  } catch (error) {
    if (signal.aborted) return 0;
    const isInput = isWebhookError(error) && ['ERR_WEBHOOK_CONFIG', 'ERR_WEBHOOK_RPC'].includes(error.code);
    throw isInput ? inputError(error.message) : error;
  } finally {
    explainer.close();
    for (const close of closing) await close();
    await printer?.done();
  }
  return 0;
}
