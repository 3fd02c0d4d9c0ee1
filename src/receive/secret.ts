import { ConfigError, WebhookError } from '../errors.js';
import { optionError } from '../internal/check-options.js';
import { isRecord, isThenable } from '../internal/guards.js';
import { withDeadline } from '../internal/time.js';
import { isStringified } from '../signature/verify-signature.js';
import type { Arrivals, Arriving } from './arrivals.js';
import type { FoundSecret, Secret, SecretFunction, SecretRequest, SourcedSecret } from './options.js';

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

/** A secret to verify with, and its source. */
type Found = Pick<SourcedSecret, 'secret'> & Partial<SourcedSecret>;

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
      let given = find({ ...request, signal: lookUp.signal });
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
