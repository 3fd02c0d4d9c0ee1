import type { EventEmitted, Receiver, TransactionIncluded } from '../../../src/index.js';
import type { OnEventOptions } from '../../../src/receiver/options.js';
import type { Delivery, HeaderList, Sign } from './delivery.js';
import type { Log } from './waiting.js';

/** How a delivery is sent, where that is not as usual. */
export interface Sending {
  readonly headers?: HeaderList;
  readonly method?: string;
  /** Without its body. */
  readonly body?: null;
}

/** An adapter that a case has started, wherever that is. */
export interface Served {
  readonly receiver: Receiver;
  /** Ids of the events that reached user code. */
  readonly seen: Log<string>;
  /** Codes that `onError` was given. */
  readonly codes: readonly string[];
  /** Resolves when so many requests have arrived, where that can be seen. */
  arrived?(count: number): Promise<void>;
  post(
    delivery: Delivery,
    sending?: Sending,
  ): Promise<{ readonly status: number; readonly headers: { get(name: string): string | null | undefined } }>;
}

/** Where a case runs: a host over HTTP, or a runtime. Its receivers have the clock of the deliveries. */
export interface Site {
  readonly sign: Sign;
  /** A genuine delivery of these items; of one event with a new id when none is given. */
  genuine(...items: readonly unknown[]): Delivery | Promise<Delivery>;
  sample(id?: string): EventEmitted;
  included(): TransactionIncluded;
  start(settings?: Omit<Partial<OnEventOptions>, 'enqueue' | 'onEvents'>): Served | Promise<Served>;
}

export interface MatrixCase {
  readonly name: string;
  /** It repeats a header. */
  readonly repeats?: boolean;
  run(site: Site): Promise<void>;
}
