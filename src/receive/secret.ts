/** One secret, or several during rotation: any of them may match. */
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
