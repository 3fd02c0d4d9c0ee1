import { ConfigError, WebhookError } from '../errors.js';
import { optionError } from '../internal/check-options.js';
import { withDeadline } from '../internal/deadline.js';
import { isRecord, isThenable } from '../internal/guards.js';
import { isStringified } from '../signature/verify-signature.js';
import type { Arrivals, Arriving } from './arrivals.js';

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

/** A secret to verify with, and its source. */
export interface Found {
  readonly secret: Secret;
  readonly source?: string | undefined;
}

/** Returns the secret. Throws ConfigError for a value that can never be a secret, without quoting it. */
export function checkSecret(secret: Secret): Secret {
  for (const each of Array.isArray(secret) && secret.length > 0 ? secret : [secret]) {
    let fault: string | undefined;
    if (typeof each !== 'string' || each === '') {
      fault = optionError('secret', 'a non-empty string, an array of them, or a function', each).message;
    } else if (isStringified(each)) fault = `\`secret\` is the text "${each}" and not a secret.`;
    if (fault) throw new ConfigError(`${fault} Is the environment variable set?`);
    if (each !== each.trim()) throw new ConfigError('`secret` has white space around it. Remove it with `trim()`.');
  }
  return secret;
}

/** The result of a secret function, in one form. Throws ConfigError for anything but a FoundSecret. */
function checkFound(found: FoundSecret): Found | undefined {
  if (found === undefined) return undefined;
  if (!isRecord(found)) return { secret: checkSecret(found as Secret) };
  const { secret, source } = found as SourcedSecret;
  if (typeof source === 'string' && source !== '') return { secret: checkSecret(secret), source };
  throw optionError('source', 'a non-empty string beside the `secret` that a secret function returns', source);
}

/**
 * Returns a function that calls the user's secret function, with a time limit. A look-up takes one of the places of
 * look-ups, and is aborted when its delivery is dropped.
 */
export function createSecretFinder(find: SecretFunction, receiveTimeoutMs: number, arrivals: Arrivals) {
  return async (request: SecretRequest, arrival: Arriving): Promise<Found> => {
    arrivals.checkLookUps(arrival);
    const lookUp = new AbortController();
    arrival.onDrop((error) => lookUp.abort(error));
    let found: Found | undefined;
    try {
      let given = find({
        header: request.header,
        url: request.url,
        // A getter: creating a signal takes longer than verifying a small body, and few functions read the signal.
        get signal() {
          return lookUp.signal;
        },
      });
      if (isThenable(given)) {
        const looking = Promise.resolve(given);
        arrivals.lookUp(arrival, looking);
        given = await withDeadline(looking, receiveTimeoutMs, () => {
          lookUp.abort(new Error(`The look-up took longer than ${receiveTimeoutMs} ms (receiveTimeoutMs).`));
          return lookUp.signal.reason;
        });
      }
      found = checkFound(given);
    } catch (cause) {
      const message = 'The secret function failed or returned something that is not a secret. See cause.';
      throw new WebhookError('ERR_WEBHOOK_SECRET', message, { cause });
    }
    if (found) return found;
    const message =
      'The secret function returned no secret for this request. Check the key that it looks up: a header or the URL.';
    throw new WebhookError('ERR_WEBHOOK_SIGNATURE', message);
  };
}
