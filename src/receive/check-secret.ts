import { ConfigError } from '../errors.js';
import { optionError } from '../internal/check-options.js';
import type { Logger } from '../internal/logger.js';
import { isStringified } from '../signature/verify-signature.js';
import type { FoundSecret, Secret, SourcedSecret } from './secret.js';

/** An empty text in quotes, the text of another value, and what templates leave of a variable that is not set. */
const OTHER_TEXT =
  /^(?:|true|false|-?Infinity|None|<nil>|<no value>|(?:\w*Error: |Symbol\(|(?:async )?(?:function\b.*\(|[\w(][\w, )]*=>)|class .*\{|\$\{|\{\{).*)$/s;
/** What may be named in a message. */
const WORD = /^(?:\w{4,9}|NaN|\[object \w+\])$/;
const QUOTED = /^(["'`])(.*)\1$|^[“‘](.*)[”’]$/s;
/** White space of any alphabet, and characters that nobody sees, at the ends; line breaks and byte order marks anywhere. */
const SPACE = /^[\p{White_Space}\p{Cc}\p{Cf}]|[\p{White_Space}\p{Cc}\p{Cf}]$|[\n\v\f\r\u0085\u2028\u2029\uFEFF]/u;

/** Returns the secret. Throws ConfigError, with the position in a list, for what can never be one. */
export function checkSecret(secret: Secret): Secret {
  if (Array.isArray(secret) && secret.length > 0) {
    for (const [at, each] of secret.entries()) checkOne(each, `secret[${at}]`, 'a non-empty string');
  } else checkOne(secret, 'secret', 'a non-empty string, an array of them, or a function');
  return secret;
}

/** No message quotes the secret; a word that stands for a missing value is none. */
function checkOne(secret: unknown, name: string, takes: string): void {
  if (typeof secret !== 'string' || secret === '') {
    throw new ConfigError(`${optionError(name, takes, secret).message} Is the environment variable set?`);
  }
  const bare = unquoted(secret) ?? secret;
  if (isStringified(bare) || OTHER_TEXT.test(bare)) {
    const text = WORD.test(bare) ? `the text "${bare}"` : 'the text of something else';
    throw new ConfigError(
      `\`${name}\` is ${text} and not a secret. Is the environment variable set? Pass its value without \`String()\` or a template.`,
    );
  }
  if (!SPACE.test(secret)) return;
  throw new ConfigError(
    `\`${name}\` has white space, a line break or a byte order mark around it or in it. Remove it, as with \`trim()\`.`,
  );
}

function unquoted(secret: string): string | undefined {
  const match = QUOTED.exec(secret);
  return match?.[2] ?? match?.[3];
}

/** A secret to verify with, and its source. */
export interface Found {
  readonly secret: Secret;
  readonly source?: string | undefined;
}

/** What a secret function returned, in one form. Throws ConfigError for anything but a FoundSecret. */
export function checkFound(found: FoundSecret): Found | undefined {
  if (found === undefined) return undefined;
  if (typeof found !== 'object' || found === null || Array.isArray(found))
    return { secret: checkSecret(found as Secret) };
  const { secret, source } = found as SourcedSecret;
  if (typeof source === 'string' && source !== '') return { secret: checkSecret(secret), source };
  throw optionError('source', 'a non-empty string beside the `secret` that a secret function returns', source);
}

/** Returns a function that warns once of quotes around a secret: they are legal, but most come from a file or a shell. */
export function quotesWarner(logger: Logger | undefined): (secret: Secret) => void {
  let isWarned = false;
  return (secret) => {
    if (isWarned || [secret].flat().every((each) => unquoted(each) === undefined)) return;
    isWarned = true;
    const message =
      'The webhook `secret` has quotes around it, which are part of the key. Remove them if they come from a file or a shell.';
    try {
      if (logger) logger.warn({}, message);
      else console.warn(message);
    } catch {
      // A missing warning is not worth a failure.
    }
  };
}
