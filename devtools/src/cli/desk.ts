import { serviceHeaders } from 'event-webhook-receiver/verify';
import { createExplainer } from '../confined/explainer.js';
import type { DeliveryRecord } from '../deliveries/delivery-record.js';
import { createFeed } from '../deliveries/feed.js';
import type { FindingSources } from '../deliveries/findings.js';
import type { KnownContracts } from '../deliveries/known-contracts.js';
import { verdictOf } from '../deliveries/verdict.js';
import { lastOf } from '../deliveries/views.js';
import { readFirstRun } from '../page/first-run.js';
import type { PageActions } from '../page/page-actions.js';
import type { PageState } from '../page/page-state.js';
import { type ServedPage, servePage } from '../page/serve-page.js';
import { CommandError } from './command-error.js';
import { type Context, untilAborted } from './context.js';
import { createPrinter, type DeliveryPrinter } from './delivery-printer.js';
import { type HeaderOptions, headerNames } from './header-names.js';
import { type InteractiveOptions, startInteractive } from './terminal/interactive.js';

/** The known contracts of deliveries. */
export interface DeskSetup {
  contracts(): KnownContracts;
  /** Resolves when the contracts of the next delivery to print are known, or after a short time limit. */
  readonly known?: (() => Promise<void>) | undefined;
}

/** What the page shows and does. */
export interface Shown {
  readonly mode: PageState['mode'];
  /** URL of the listener or the service. */
  readonly url: string;
  readonly actions: PageActions;
  /** The file with the secret for a first receiver, as the user named it. */
  readonly secretFile?: string | undefined;
  /** The part of the state that changes. */
  state(): Pick<PageState, 'target' | 'webhooks' | 'faults' | 'queue' | 'chain' | 'respond' | 'sendCommand'>;
}

/** Shows the deliveries of `listen` and `emulate`: as a list, printed lines, the page, and by keys of the terminal. */
export function createDesk(context: Context<HeaderOptions>, { contracts, known }: DeskSetup) {
  const { options, output, signal } = context;
  const headers = headerNames(options) ?? serviceHeaders;
  const feed = createFeed();
  const explainer = createExplainer();
  const quit = new AbortController();
  const closing: (() => unknown)[] = [];
  let sources: FindingSources = { headers, secretOf: () => undefined };
  let printer: DeliveryPrinter | undefined;
  let page: ServedPage | undefined;

  return {
    feed,
    headers,
    /** Registers `close` to be called at the end, in reverse order. */
    closeLater(close: () => unknown): void {
      closing.unshift(close);
    },
    /** Explains and prints deliveries from now on. */
    startPrinting(found: Omit<FindingSources, 'headers'>): DeliveryPrinter {
      sources = { headers, ...found };
      printer = createPrinter({ feed, sources, explainer, output, contracts, known });
      return printer;
    },
    /** Shows a delivery that has changed. Prints a line for an attempt once it has ended. */
    showAttempt(record: DeliveryRecord): void {
      const before = feed.get(record.id);
      feed.put(record);
      const last = lastOf(record);
      const isOld = before && lastOf(before).at === last.at && verdictOf(lastOf(before)) !== 'pending';
      if (!isOld && verdictOf(last) !== 'pending')
        printer?.print(record.id, { at: last.at, nextAttemptAt: record.nextAttemptAt });
    },
    stateChanged: () => page?.stateChanged(),
    /** Serves the page. Resolves with its address. */
    async servePage({ mode, url, actions, secretFile, state }: Shown): Promise<string> {
      const directory = process.cwd();
      const [unregistered, registered] = [readFirstRun(directory), readFirstRun(directory, secretFile)];
      const fixed = { mode, service: { url } };
      const current = (): PageState => {
        const changing = state();
        // The file belongs to a webhook that is already registered.
        const firstRun = changing.webhooks?.length === 0 ? unregistered : registered;
        return { ...fixed, firstRun: changing.target === undefined ? firstRun : undefined, ...changing };
      };
      page = await servePage({ ...sources, feed, explainer, contracts, actions, state: current });
      closing.unshift(page.close);
      return page.address;
    },
    /** Handles keys of the terminal until the command is stopped. */
    async untilStopped(keys: Pick<InteractiveOptions, 'resend' | 'held' | 'reorg'>): Promise<void> {
      if (printer && page)
        closing.unshift(
          startInteractive({ context, feed, printer, page: page.address, quit: () => quit.abort(), ...keys }),
        );
      await Promise.race([untilAborted(signal), untilAborted(quit.signal)]);
    },
    /** Ends everything, and prints a summary. `recording` is the file that deliveries were written to. */
    async end(recording?: string): Promise<void> {
      explainer.close();
      for (const close of closing) await close();
      await printer?.done(recording);
    },
  };
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'it is in use. Stop the process that uses it, or choose another with',
  EACCES: 'permission denied. Choose one from 1024 up with',
};

/** Starts a server; a port that cannot be used becomes an error that names the option. */
export async function listening<Server>(port: number, listen: () => Promise<Server>): Promise<Server> {
  try {
    return await listen();
  } catch (error) {
    // The local service wraps the system's error.
    const { code } = Object(Object(error).cause ?? error) as NodeJS.ErrnoException;
    const reason = REASONS[String(code)];
    if (reason === undefined) throw error;
    throw new CommandError('ERR_CLI_PORT', `Cannot listen on port ${port}: ${reason} --port.`);
  }
}
