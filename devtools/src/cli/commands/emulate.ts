import type { Logger } from 'event-webhook-receiver';
import { isWebhookError } from 'event-webhook-receiver';
import { serviceHeaders } from 'event-webhook-receiver/verify';
import { createFeed } from '../../page/feed.js';
import { localActions, localSecrets, recordOf } from '../../page/local-source.js';
import { PageError } from '../../page/page-guard.js';
import { type ServedPage, servePage } from '../../page/serve-page.js';
import { lastOf, summaryOf, verdictOf } from '../../page/views.js';
import { createLocalService } from '../../service/create-local-service.js';
import type { LocalDelivery } from '../../service/delivery.js';
import { type ChainSource, readChainFlags, startChain } from '../anvil/chain-source.js';
import { attemptText } from '../attempt-text.js';
import { defineCommand, untilAborted } from '../command.js';
import { inputError } from '../command-error.js';
import { headerFlags, headerNames } from '../header-flags.js';
import type { Output } from '../output.js';
import { listening, pageFlags } from '../ports.js';
import { readWanted, registerWanted } from '../registrations.js';
import { apiKeyFlags, readApiKey } from '../secrets.js';

export const emulate = defineCommand({
  name: 'emulate',
  summary: 'Run the service on this machine: registrations, signed deliveries, and a chain to watch',
  details: [
    'Serves the registration API at http://127.0.0.1:4000/api/v0/webhooks and delivers signed events to whatever is registered there, with retries, and with faults when the page is told to. It is for development and tests.',
    'With --rpc it watches a chain; with --anvil it starts one that has a sample token and a transfer every second. anvil is taken from ANVIL, the PATH or node_modules/.bin, and never downloaded. Without either, the page sends samples.',
  ],
  arguments: [],
  flags: {
    port: {
      type: 'number',
      placeholder: 'port',
      min: 0,
      max: 65535,
      whole: true,
      default: 4000,
      help: 'Port of the API; 0 for a free one',
    },
    host: {
      type: 'text',
      placeholder: 'address',
      default: '127.0.0.1',
      help: 'Address of the API. 0.0.0.0 lets other machines in',
    },
    file: {
      type: 'text',
      placeholder: 'file',
      help: 'Keep webhooks, secrets and deliveries in this file, over restarts',
    },
    register: {
      type: 'text',
      placeholder: 'label=url',
      multiple: true,
      help: 'Have this webhook from the start; its secret is printed once',
    },
    'secret-out': {
      type: 'text',
      placeholder: 'file',
      help: 'Write the secret of the one --register to this file instead, over that of an earlier start',
    },
    rpc: { type: 'text', placeholder: 'url', help: 'Watch the chain of this node' },
    contract: {
      type: 'text',
      placeholder: 'address=abi.json[:label]',
      multiple: true,
      help: 'Deliver the events of this contract',
    },
    wallet: { type: 'text', placeholder: 'address', multiple: true, help: 'Deliver the transactions of this wallet' },
    anvil: { type: 'boolean', help: 'Start an anvil with a sample token and watch that' },
    interval: {
      type: 'number',
      placeholder: 'seconds',
      min: 0,
      max: 86_400,
      default: 1,
      help: 'With --anvil: time between transfers; 0 for none but those that the page asks for',
    },
    ...pageFlags,
    ...headerFlags,
    ...apiKeyFlags,
  },
  examples: [
    { run: 'emulate --anvil --register shop=http://localhost:3000/webhooks', does: 'The whole system on this machine' },
    { run: 'emulate --file state.ndjson', does: 'Keep what is registered' },
    {
      run: 'emulate --rpc http://127.0.0.1:8545 --contract 0x5FbDB2315678afecb367f032d93F642f64180aa3=token.json:token',
      does: 'Watch a contract',
    },
  ],
  exitCodes: { 0: 'never: it runs until it is ended' },
  async run({ flags, output, env, stdin, signal, now }) {
    const wantedChain = await readChainFlags(flags, env);
    const wanted = readWanted(flags.register, flags['secret-out']);
    const headers = headerNames(flags) ?? serviceHeaders;
    const hasKey = flags['api-key-file'] !== undefined || Boolean(env.WEBHOOK_API_KEY);
    const apiKey = hasKey ? await readApiKey({ flags, env, stdin, output }) : undefined;
    const feed = createFeed();
    const closing: (() => Promise<void>)[] = [];
    let page: ServedPage | undefined;
    let chain: ChainSource | undefined;

    function onDelivery(delivery: LocalDelivery): void {
      const before = feed.get(delivery.id);
      feed.put(recordOf(delivery, now()));
      const kept = feed.get(delivery.id);
      const last = lastOf(delivery);
      // Told at every change: a line is for an attempt that has ended and has had none.
      const isOld = before && lastOf(before).at === last.at && verdictOf(lastOf(before)) !== 'pending';
      if (!kept || isOld || verdictOf(last) === 'pending') return;
      const summary = summaryOf(kept);
      output.result({ attempt: { ...summary, reason: last.reason } }, attemptText(summary, last, output.colors));
    }

    try {
      const service = await listening('port', flags.port, () =>
        createLocalService({
          ...{ port: flags.port, host: flags.host, file: flags.file, headers, now, onDelivery },
          apiKeys: apiKey === undefined ? undefined : [apiKey],
          logger: notes(output),
          onChange: () => page?.stateChanged(),
        }),
      );
      closing.unshift(() => service.close());
      const key = apiKey === undefined ? service.apiKeys[0] : undefined;
      const api = `${service.url}/api/v0/webhooks`;
      output.result({ service: { url: service.url, apiKey: key } }, `API: ${api}${key ? `\n  API key: ${key}` : ''}`);
      for (const each of wanted) await registerWanted(each, { service, secretOut: flags['secret-out'], output });

      if (wantedChain) chain = await startChain(wantedChain, service, { output, signal });
      if (chain) {
        const { view, close } = chain;
        closing.unshift(close);
        const labels = view.contracts.map(({ label, address }) => `${label} ${address}`).join(', ');
        output.result({ chain: view }, `Chain: ${view.rpcUrl}, id ${view.chainId}${labels && `, ${labels}`}`);
      }
      if (flags.page !== false) {
        page = await listening('page-port', flags['page-port'], () =>
          servePage({
            ...{ feed, port: flags['page-port'], ...localSecrets(service) },
            contracts: () => chain?.contracts ?? new Map(),
            actions: localActions(service, () => sample()),
            state: () => ({
              ...{ mode: 'emulate' as const, title: `Service at ${service.url}`, headers },
              ...{ webhooks: service.webhooks(), faults: service.faults, chain: chain?.view },
              service: { url: service.url },
            }),
          }),
        );
        closing.unshift(page.close);
        output.result({ page: page.address }, `Page: ${page.address}`);
      }

      async function sample(): Promise<object> {
        if (chain?.sample) {
          const gone = () => Promise.reject(new PageError(503, 'The chain does not answer: has anvil ended?'));
          return { transaction: await chain.sample().catch(gone) };
        }
        const { sampleEventEmitted } = await import('../../../../src/testing/index.js');
        const event = sampleEventEmitted();
        service.emit([event]);
        return { event: event.id };
      }
      await untilAborted(signal);
    } catch (error) {
      if (signal.aborted) return 0;
      const isTold = isWebhookError(error) && ['ERR_WEBHOOK_CONFIG', 'ERR_WEBHOOK_RPC'].includes(error.code);
      throw isTold ? inputError(error.message) : error;
    } finally {
      for (const close of closing) await close();
    }
    return 0;
  },
});

/** What the service has to say beside its deliveries, each of which has its line. */
function notes(output: Output): Logger {
  const note = (fields: object, message: string) => {
    if (!('deliveryId' in fields)) output.note(message);
  };
  return { debug: () => {}, info: () => {}, warn: note, error: note };
}
