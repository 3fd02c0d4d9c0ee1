import { serviceHeaders } from 'event-webhook-receiver/verify';
import { createExplainer } from '../confined/explainer.js';
import type { DeliveryRecord } from '../deliveries/delivery-record.js';
import { createFeed, type Feed } from '../deliveries/feed.js';
import type { FindingSources } from '../deliveries/findings.js';
import type { KnownContracts } from '../deliveries/known-contracts.js';
import { verdictOf } from '../deliveries/verdict.js';
import { lastOf } from '../deliveries/views.js';
import type { PageActions } from '../page/page-actions.js';
import type { PageState } from '../page/page-state.js';
import { type ServedPage, servePage } from '../page/serve-page.js';
import { type Context, untilAborted } from './context.js';
import { createPrinter, type DeliveryPrinter } from './delivery-printer.js';
import { eventStyle, type Style } from './delivery-text.js';
import { type HeaderOptions, headerNames } from './header-names.js';
import { listening } from './listening.js';
import { type InteractiveOptions, startInteractive } from './terminal/interactive.js';
import { createLineFilter } from './terminal/line-filter.js';
import { version } from './version.js';

interface DeskOptions extends HeaderOptions {
  readonly page: boolean;
  readonly pagePort: number;
  readonly events?: true | undefined;
  readonly filter?: string | undefined;
}

/** How a command shows deliveries. */
export interface DeskSetup {
  /** How deliveries are printed without `--events`. */
  readonly style: Style;
  contracts(): KnownContracts;
  /** Resolves when the contracts of the next delivery to print are known, or after a short time limit. */
  readonly known?: (() => Promise<void>) | undefined;
}

const TITLES = { listen: 'Listening', emulate: 'Service' };

/** What the page shows and does. */
export interface Shown {
  readonly mode: PageState['mode'];
  /** URL of the listener or the service. */
  readonly url: string;
  readonly actions: PageActions;
  state(): Omit<PageState, 'mode' | 'title' | 'version' | 'service' | 'headers'>;
}

/** Shows the deliveries of `listen` and `emulate`: as a list, printed lines, the page, and by keys of the terminal. */
export function createDesk(context: Context<DeskOptions>, { style, contracts, known }: DeskSetup) {
  const { options, output, signal } = context;
  const headers = headerNames(options) ?? serviceHeaders;
  const feed: Feed = createFeed();
  const explainer = createExplainer();
  const filter = createLineFilter(options.filter, contracts);
  const quit = new AbortController();
  const closing: (() => unknown)[] = [];
  let sources: FindingSources = { headers, secretOf: () => undefined };
  let printer: DeliveryPrinter | undefined;
  let page: ServedPage | undefined;
  const print: DeliveryPrinter['print'] = (id, attempt) => printer?.print(id, attempt);

  return {
    feed,
    headers,
    print,
    /** Registers `close` to be called at the end, in reverse order. */
    closeLater(close: () => unknown): void {
      closing.unshift(close);
    },
    /** Explains and prints deliveries from now on. */
    startPrinting(found: Omit<FindingSources, 'headers'>): void {
      sources = { headers, ...found };
      const used = options.events ? eventStyle(contracts) : style;
      printer = createPrinter({ feed, sources, explainer, output, style: used, filter, contracts, known });
    },
    /** Shows a delivery that has changed. Prints a line for an attempt once it has ended. */
    showAttempt(record: DeliveryRecord): void {
      const before = feed.get(record.id);
      feed.put(record);
      const last = lastOf(record);
      const isOld = before && lastOf(before).at === last.at && verdictOf(lastOf(before)) !== 'pending';
      if (!isOld && verdictOf(last) !== 'pending')
        print(record.id, { at: last.at, nextAttemptAt: record.nextAttemptAt });
    },
    stateChanged: () => page?.stateChanged(),
    /** Serves the page, unless there is none. Resolves with its address. */
    async servePage({ mode, url, actions, state }: Shown): Promise<string | undefined> {
      const { pagePort: port } = options;
      if (!options.page) return undefined;
      const fixed = { mode, title: `${TITLES[mode]} at ${url}`, version: version(), service: { url }, headers };
      const shown = { ...sources, feed, explainer, contracts, actions, port, state: () => ({ ...fixed, ...state() }) };
      page = await listening('page-port', port, () => servePage(shown));
      closing.unshift(page.close);
      return page.address;
    },
    /** Handles keys of the terminal until the command is stopped. */
    async untilStopped(keys: Pick<InteractiveOptions, 'resend' | 'held' | 'reorg'>): Promise<void> {
      if (filter.text !== '') output.note(`Only deliveries that contain "${filter.text}" are printed.`);
      const terminal = { context, feed, filter, print, page: page?.address, quit: () => quit.abort() };
      closing.unshift(startInteractive({ ...terminal, ...keys }));
      await Promise.race([untilAborted(signal), untilAborted(quit.signal)]);
    },
    async end(): Promise<void> {
      explainer.close();
      for (const close of closing) await close();
      await printer?.done();
    },
  };
}
