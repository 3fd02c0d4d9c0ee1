import {
  createReceiver,
  type Enqueue,
  type OnEvent,
  type OnEvents,
  type ReceiverOptions,
  type WebhookEvent,
} from '../src/index.js';
import type { ReceiverSettings } from '../src/receiver/options.js';
import { createTestDelivery, sampleEventEmitted } from '../src/testing/index.js';

export const secret = 'whsec-test';
export const seconds = 1_700_000_000;

/** A promise with its ends in hand. */
export function deferred<T = void>() {
  let resolve: (value: T) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

/** A promise that does not settle. */
export const never = () => new Promise<never>(() => {});

/** A function that throws. */
export const throwing = (error: unknown) => () => {
  throw error;
};

/** The parts of a signed delivery, as `receiver.handle` takes them. */
export function signed(events: readonly unknown[], options: { secret?: string; timestamp?: number | string } = {}) {
  const { rawBody, signature, timestamp } = createTestDelivery(events, { secret, timestamp: seconds, ...options });
  return { rawBody, signature, timestamp };
}

/** A sample event with a given id. */
export function event(id: string, name = 'Transfer') {
  return sampleEventEmitted({ id, data: { event: { name } } });
}

/** Options to override defaults with: unlike ReceiverOptions, they may lack a handler. */
export type Settings<Tx = undefined> = Partial<ReceiverSettings<Tx>> & {
  readonly onEvent?: OnEvent<NoInfer<Tx>> | undefined;
  readonly enqueue?: Enqueue;
};

/** A receiver that notes the ids it handled and the codes it reported; its clock is that of `signed`. */
export function noting<Tx = undefined>(options: Settings<Tx> & { readonly onEvents?: OnEvents<NoInfer<Tx>> } = {}) {
  const handled: string[] = [];
  const reported: string[] = [];
  const onEvent = (each: WebhookEvent) => {
    handled.push(each.id);
  };
  const settings: Settings<Tx> = {
    secret,
    now: () => seconds * 1000,
    ...(options.enqueue || options.onEvents ? {} : { onEvent }),
    onError: (error) => {
      reported.push(error.code);
    },
    ...options,
  };
  const receiver = createReceiver<Tx>(settings as object as ReceiverOptions<Tx>);
  return { receiver, handled, reported };
}
