import { WebhookError } from '../errors.js';
import type { DeliveryMessage } from '../handle/tracing.js';
import { withDeadline } from '../internal/deadline.js';
import { isThenable } from '../internal/guards.js';
import type { Arrivals, Arriving } from './arrivals.js';
import { checkFound, type Found } from './check-secret.js';
import { headerText } from './request.js';
import type { SecretFunction, SecretLookUp, SecretRequest } from './secret.js';

/** Calls the user's secret function, with a time limit. A look-up for an `arrival` takes one of the places of look-ups. */
export function createSecretFinder(
  find: SecretFunction,
  {
    receiveTimeoutMs,
    warnOfQuotes,
  }: { readonly receiveTimeoutMs: number; readonly warnOfQuotes: (secret: Found['secret']) => void },
  arrivals: Arrivals,
): (lookUp: LookUp, arrival?: Arriving) => Promise<Found> {
  return async (lookUp, arrival) => {
    if (lookUp.error) throw lookUp.error;
    if (arrival) arrivals.checkLookUps();
    let found: Found | undefined;
    try {
      let given = find(lookUp);
      if (isThenable(given)) {
        const late = () =>
          lookUp.abort(new Error(`The look-up took longer than ${receiveTimeoutMs} ms (receiveTimeoutMs).`));
        const looking = withDeadline(Promise.resolve(given), receiveTimeoutMs, late);
        given = await (arrival ? arrivals.lookUp(arrival, looking) : looking);
      }
      found = checkFound(given);
    } catch (cause) {
      const message = 'The secret function failed or returned something that is not a secret. See cause.';
      throw new WebhookError('ERR_WEBHOOK_SECRET', message, { cause });
    }
    if (lookUp.error) throw lookUp.error;
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

/** What a secret function gets. A class: a literal with a getter gets a new shape each time. */
export class LookUp implements SecretLookUp {
  /** Why the result is no longer wanted. */
  error: Error | undefined;
  readonly #request: SecretRequest | undefined;
  #controller: AbortController | undefined;

  /** `header` finds headers by their names in lower case. (Default: that of the request.) */
  constructor(request: SecretRequest | undefined, header?: DeliveryMessage['header']) {
    this.#request = request;
    this.header = (name) => headerText(header ? header(String(name).toLowerCase()) : request?.header(name));
  }

  /** Bound, so that it can be destructured. */
  readonly header: (name: string) => string | undefined;

  get url(): string | undefined {
    return this.#request?.url;
  }

  /** Created when it is read: synchronous functions do not use it. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.error) this.#controller.abort(this.error);
    return this.#controller.signal;
  }

  abort(error: Error): Error {
    this.error = error;
    this.#controller?.abort(error);
    return error;
  }
}
