import { WebhookError } from '../errors.js';
import { withDeadline } from '../internal/deadline.js';
import { isThenable } from '../internal/guards.js';
import { type DeliveryRequest, headerText } from './delivery-request.js';
import type { SecretFunction, SecretRequest } from './options.js';
import { checkFound, type ResolvedVerifierOptions } from './resolve-options.js';

/** A secret to verify with, and its source. */
export type Found = NonNullable<ReturnType<typeof checkFound>>;

const NO_REQUEST: SecretRequest = { header: () => undefined };

/** Calls the user's secret function, with a time limit and a limit on concurrent look-ups. */
export function createSecretFinder(
  find: SecretFunction,
  {
    receiveTimeoutMs,
    maxArriving,
    warnOfQuotes,
  }: Pick<ResolvedVerifierOptions, 'receiveTimeoutMs' | 'maxArriving' | 'warnOfQuotes'>,
): (request: SecretRequest | undefined) => Promise<Found> {
  /** Concurrent look-ups. Those of dropped deliveries cannot be stopped, so the limit leaves room for new deliveries. */
  let lookUps = 0;
  const maxLookUps = 10 * maxArriving;

  async function inTime<T>(looking: PromiseLike<T>): Promise<T> {
    const late = () => new Error(`The look-up took longer than ${receiveTimeoutMs} ms (receiveTimeoutMs).`);
    lookUps++;
    try {
      return await withDeadline(Promise.resolve(looking), receiveTimeoutMs, late);
    } finally {
      lookUps--;
    }
  }

  return async (request = NO_REQUEST) => {
    if (lookUps >= maxLookUps) {
      throw new WebhookError(
        'ERR_WEBHOOK_OVERLOADED',
        `${maxLookUps} secret look-ups are under way (10 × maxArriving). If the secret function is slow, cache its results.`,
      );
    }
    let found: Found | undefined;
    try {
      const given = find(request);
      found = checkFound(isThenable(given) ? await inTime(given) : given);
    } catch (cause) {
      const message = 'The secret function failed or returned something that is not a secret. See cause.';
      throw new WebhookError('ERR_WEBHOOK_SECRET', message, { cause });
    }
    if (found !== undefined) {
      warnOfQuotes(found.secret);
      return found;
    }
    throw new WebhookError(
      'ERR_WEBHOOK_SIGNATURE',
      'The secret function returned no secret for this request. Check the key that it looks up: a header or the URL.',
    );
  };
}

/** The view of a request that a secret function gets. A class: a literal with a getter gets a new shape each time. */
export class UntrustedRequest implements SecretRequest {
  readonly #request: DeliveryRequest;

  constructor(request: DeliveryRequest) {
    this.#request = request;
    this.header = (name) => headerText(request.header(String(name).toLowerCase()));
  }

  /** Bound, so that it can be destructured. */
  readonly header: (name: string) => string | undefined;

  get url(): string | undefined {
    return this.#request.url;
  }
}
