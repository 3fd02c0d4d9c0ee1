import type { HeaderNames } from '../signature/headers.js';

/** One secret, or several during rotation: each may match. */
export type Secret = string | readonly string[];

/** The request that a secret is looked up for. Nothing in it is verified yet: use it only as a look-up key. */
export interface SecretRequest {
  /** A header's value by its name, in any case. */
  header(name: string): string | undefined;
  /** Path and query as requested, such as `/webhooks/7?tenant=a`; absent when the caller did not provide them. */
  readonly url?: string | undefined;
}

/** What a secret function gets: the request, and when to stop. */
export interface SecretLookUp extends SecretRequest {
  /**
   * Aborted when the result is no longer wanted: after `receiveTimeoutMs`, when the host's time is over, or at the end
   * of `drain`. Pass it on, so that a slow look-up stops.
   */
  readonly signal: AbortSignal;
}

/** A secret and the webhook or tenant that it belongs to. */
export interface SourcedSecret {
  readonly secret: Secret;
  /** Prefixes every idempotency key and is in `context`, so that no source can suppress another's events. Not empty. */
  readonly source: string;
}

/** What a secret function returns: one secret or several, with or without a source; `undefined` if none matches (403). */
export type FoundSecret = Secret | SourcedSecret | undefined;

/**
 * Finds the secret for a request, so that one endpoint serves several webhooks or tenants. Called once per delivery,
 * forgeries included: cache slow look-ups. Return `{ secret, source }` where there is more than one sender.
 *
 * @example
 * ```ts
 * import { createReceiver, type SecretFunction } from 'event-webhook-receiver';
 *
 * const secrets: Record<string, string | undefined> = {
 *   '/webhooks/acme': process.env.ACME_WEBHOOK_SECRET,
 *   '/webhooks/globex': process.env.GLOBEX_WEBHOOK_SECRET,
 * };
 * const secretOf: SecretFunction = ({ url = '' }) => {
 *   const secret = Object.hasOwn(secrets, url) ? secrets[url] : undefined;
 *   return secret === undefined ? undefined : { secret, source: url };
 * };
 * createReceiver({ secret: secretOf, onEvent: (event, { source }) => console.log(source, event.id) });
 * ```
 */
export type SecretFunction = (request: SecretLookUp) => FoundSecret | Promise<FoundSecret>;

/** Options of a receiver and a verifier that say how deliveries are received. */
export interface ReceiveSettings {
  /** The webhook's signing secret, several during rotation, or a function that finds the secret for a request. */
  readonly secret: Secret | SecretFunction;
  /** Names of the two signature headers. (Default: `serviceHeaders`.) */
  readonly headers?: HeaderNames | undefined;
  /**
   * Largest difference between a delivery's timestamp and the clock, in seconds, in either direction; `false` allows any.
   * Set `false` if your sender resends the first timestamp on retries. (Default: 300.)
   */
  readonly toleranceSeconds?: number | false | undefined;
  /** Largest body, in bytes; larger ones get 413. (Default: 10 MiB.) */
  readonly maxBodyBytes?: number | undefined;
  /** Largest number of items in a delivery; deliveries with more get 413. (Default: 10 000.) */
  readonly maxEvents?: number | undefined;
  /**
   * How many deliveries may be arriving at once; those whose secret is being looked up do not count. Beyond that, the
   * oldest delivery of the connection with the most deliveries gets 503. (Default: 1000.)
   */
  readonly maxArriving?: number | undefined;
  /**
   * How many bytes of arriving deliveries are kept at once, counted as received. Beyond that, the oldest delivery of
   * the connection with the most deliveries gets 503; or the new one, if it does not fit beside deliveries whose
   * secret is being looked up. At least `maxBodyBytes`. (Default: 64 MiB.)
   */
  readonly maxArrivingBytes?: number | undefined;
  /**
   * How many look-ups of an async secret function may run at once; then new deliveries get 503. (Default:
   * 100.)
   */
  readonly maxLookUps?: number | undefined;
  /** Time limit for a body to arrive, and for an async secret function, in ms; then 503. (Default: 30 000.) */
  readonly receiveTimeoutMs?: number | undefined;
  /** Clock used to check `toleranceSeconds`, in epoch milliseconds. (Default: `Date.now`.) */
  readonly now?: (() => number) | undefined;
}

/** The same options, complete and checked. */
export type ReceiveOptions = { readonly [Name in keyof ReceiveSettings]-?: NonNullable<ReceiveSettings[Name]> };
