import { attempt, fromBase64, fromHex, latin1, toBase64, toHex, utf8 } from './bytes.js';
import type { Candidate, Fault } from './finding.js';
import { withoutEnd, withoutQuotes } from './text.js';

const asShown = 'Use the secret exactly as it was shown when the webhook was created.';

const faults = {
  whitespace: {
    cause: 'secret-whitespace',
    what: 'The secret has leading or trailing white space: a space, or the line break at the end of a file.',
    fix: "Trim it where you read it: process.env.WEBHOOK_SECRET?.trim(), readFileSync(path, 'utf8').trim(); write Kubernetes secrets with printf or echo -n.",
  },
  whitespaceSigned: {
    cause: 'secret-whitespace-lost',
    what: 'The signature was made with white space (a line break, a space) around the secret, which your secret does not have.',
    fix: 'Trim the secret where the signature is made: its file or variable ends with a line break. The service signs without it.',
  },
  bom: {
    cause: 'secret-bom',
    what: 'The secret contains a byte order mark or another invisible character.',
    fix: 'Save its file as UTF-8 without BOM (PowerShell writes one), or type the secret again.',
  },
  quotes: {
    cause: 'secret-quoted',
    what: 'The secret is in quotes.',
    fix: 'Remove them: docker --env-file, systemd and many dashboards keep quotes that a shell would strip, and a JSON string needs JSON.parse.',
  },
  quotesSigned: {
    cause: 'secret-quotes-lost',
    what: 'The signature was made with quotes around the secret, which your secret does not have.',
    fix: 'Remove the quotes where the signature is made (an env file, a value that went through JSON.stringify).',
  },
  envLine: {
    cause: 'secret-env-line',
    what: 'The secret is a whole line of an env file, with the variable name and the equals sign.',
    fix: 'Keep only the part after the equals sign.',
  },
  comment: {
    cause: 'secret-comment',
    what: 'A comment follows the secret.',
    fix: 'Put the comment on its own line: docker --env-file and systemd treat it as part of the value.',
  },
  prefix: {
    cause: 'secret-prefix',
    what: 'The secret has a prefix, such as Bearer or whsec_, that does not belong to it.',
    fix: 'Remove the prefix where the secret is stored or read.',
  },
  prefixSigned: {
    cause: 'secret-prefix-lost',
    what: 'The signature was made with a prefix (whsec_) before the secret, which your secret does not have.',
    fix: `Do not strip the prefix: it is part of the key. ${asShown}`,
  },
  hex: {
    cause: 'secret-hex-decoded',
    what: 'The signature was made with the secret decoded from hex as its key.',
    fix: `Do not decode it: createHmac('sha256', secret) instead of Buffer.from(secret, 'hex'). The key is the text. ${asShown}`,
  },
  base64: {
    cause: 'secret-base64-decoded',
    what: 'The signature was made with the secret decoded from base64 as its key.',
    fix: `If you encoded it (Kubernetes' data: field, atob in code), pass the decoded text to the library; if the signer decodes it, it must use createHmac('sha256', secret). The key is the text. ${asShown}`,
  },
  hexEncoded: {
    cause: 'secret-hex-encoded',
    what: 'The key is your secret encoded as hex: yours was decoded, or the other was encoded.',
    fix: `Remove Buffer.from(secret, 'hex'). The key is the text that the service shows. ${asShown}`,
  },
  base64Encoded: {
    cause: 'secret-base64-encoded',
    what: 'The key is your secret encoded as base64: yours was decoded, or the other was encoded.',
    fix: `Remove Buffer.from(secret, 'base64') and atob; in Kubernetes use stringData:, or data: with the base64 of the secret's text. ${asShown}`,
  },
  list: {
    cause: 'secret-list',
    what: 'The secret is a list of secrets in one string, and one of them is right; or a comma or semicolon follows it.',
    fix: "Give the library an array: secret: (process.env.WEBHOOK_SECRETS ?? '').split(',').",
  },
  escapes: {
    cause: 'secret-escaped',
    what: 'The secret contains backslash escapes.',
    fix: 'Remove the backslashes: in an env file, single quotes keep them and double quotes interpret them.',
  },
  unset: {
    cause: 'signed-without-secret',
    what: 'The signature was made with an empty secret, or with the string undefined or null.',
    fix: 'Set the secret where the signature is made: its variable is not set there. Do not accept such a signature: anybody can make it.',
  },
  bytes: {
    cause: 'secret-not-text',
    what: 'The secret is bytes; the library takes a string.',
    fix: `Pass a string. ${asShown}`,
  },
} satisfies Record<string, Fault>;

const jsonString = (text: string) => (text.startsWith('"') ? (JSON.parse(text) as string) : '');

/** Possible right secrets, derived from the given one. A function that throws yields none. */
const TEXTS: readonly (readonly [fault: Fault, make: (text: string) => string | readonly string[]])[] = [
  [faults.bom, (text) => text.replace(/[\uFEFF\u200B-\u200F\u2060\u00AD]/g, '')],
  [faults.whitespace, (text) => [text.trim(), withoutEnd(text, '\r', '\n'), text.replace(/\s/g, '')]],
  [
    faults.quotes,
    (text) => [withoutQuotes(text), text.replace(/^[“‘«„](.*)[”’»“]$/s, '$1'), text.replace(/^["'`]|["'`]$/g, '')],
  ],
  [faults.quotes, jsonString],
  [faults.comment, (text) => text.slice(0, Math.max(0, text.search(/\s(?:#|\/\/)/))).trimEnd()],
  [
    faults.envLine,
    (text) => {
      const value = text.replace(/^\s*(?:export\s+|set\s+|\$env:)?[A-Za-z_][A-Za-z0-9_.-]*\s*[=:]\s*/, '');
      return [value, withoutQuotes(value)];
    },
  ],
  [
    faults.prefix,
    (text) =>
      text.replace(
        /^(?:Bearer|Basic|Token|secret|key)\s+|^(?:whsec|sk|secret|sec|wh)[_:-]|^(?:sha256|secret|key|base64|hex)[=:]/i,
        '',
      ),
  ],
  [faults.list, (text) => text.split(/[,;|\s]+/, 8)],
  [faults.whitespaceSigned, (text) => [`${text}\n`, `${text}\r\n`, `${text} `, ` ${text}`, `${text}\r`, `${text}\t`]],
  [faults.quotesSigned, (text) => [`"${text}"`, `'${text}'`]],
  [faults.prefixSigned, (text) => [`whsec_${text}`]],
  [
    faults.escapes,
    (text) => [text.replace(/\\n$/, '\n'), text.replace(/\\(.)/g, '$1'), withoutEnd(text, '\\n', '\\r', '\\t')],
  ],
  [faults.unset, () => ['undefined', 'null', '[object Object]']],
];

/** The same for binary keys. */
const BYTES: readonly (readonly [fault: Fault, make: (text: string) => (Uint8Array | undefined)[]])[] = [
  [faults.hex, (text) => [fromHex(text.replace(/^0x/, ''))]],
  [faults.base64, (text) => [fromBase64(text.replace(/^whsec_/, ''))]],
  // The key was decoded to Latin-1 characters or to UTF-8 text; encoding restores it in both cases.
  [
    faults.hexEncoded,
    (text) => [utf8(toHex(utf8(text))), utf8(toHex(latin1(text))), utf8(toHex(utf8(text)).toUpperCase())],
  ],
  [faults.base64Encoded, (text) => [utf8(toBase64(utf8(text))), utf8(toBase64(latin1(text)))]],
  [faults.unset, () => [new Uint8Array()]],
];

/** Maximum key length. Longer keys are not secrets of the service. */
const LONGEST = 4096;

/** Possible keys for a given secret, the most frequent mistakes first, without the secret itself. */
export function readSecret(given: string | Uint8Array): Candidate<Uint8Array>[] {
  if (given.length > LONGEST || given.length === 0) return [];
  if (typeof given !== 'string') {
    const texts = [[toHex(given), faults.hexEncoded] as const, [toBase64(given), faults.base64Encoded] as const];
    return texts.map(([text, found]) => ({ value: utf8(text), faults: [faults.bytes, found] }));
  }
  const own = toHex(utf8(given));
  const found = new Map<string, Candidate<Uint8Array>>();
  const add = (value: Uint8Array | undefined, fault: Fault) => {
    const name = value && toHex(value);
    if (value && name !== undefined && name !== own && !found.has(name)) found.set(name, { value, faults: [fault] });
  };
  for (const [fault, make] of TEXTS) {
    for (const text of attempt(() => [make(given)].flat()) ?? []) if (text !== '') add(utf8(text), fault);
  }
  for (const [fault, make] of BYTES) for (const bytes of make(given)) add(bytes, fault);
  return [...found.values()];
}

/** A secret that was given as bytes. */
export const bytesFault: Fault = faults.bytes;

/** Keys of a signer without a secret. */
export const withoutSecret: readonly Candidate<Uint8Array>[] = ['', 'undefined', 'null'].map((text) => ({
  value: utf8(text),
  faults: [faults.unset],
}));

/** The fault of using the secret of another webhook, with its label. */
export function secretOf(label: string): Fault {
  return {
    cause: 'secret-of-another-webhook',
    what: `The signature was made with the secret of another webhook${label === '' ? '' : `, “${label}”`}.`,
    fix: 'Every webhook has its own secret. Give this route the secret of the webhook whose URL it is, or both secrets in an array.',
  };
}
