import { attempt } from '../guards.js';
import { fromBase64, fromHex, latin1, toBase64, toHex, utf8 } from './bytes.js';
import { type Candidate, type Fault, fault, faultsOf } from './finding.js';
import { withoutEnd, withoutQuotes } from './text.js';

const asShown = 'Use the secret exactly as it was shown when the webhook was created.';

const faults = faultsOf({
  'secret-whitespace': [
    'The secret has leading or trailing white space: a space, or the line break at the end of a file.',
    "Trim it where you read it: process.env.WEBHOOK_SECRET?.trim(), readFileSync(path, 'utf8').trim(); write Kubernetes secrets with printf or echo -n.",
  ],
  'secret-whitespace-lost': [
    'The signature was made with white space (a line break, a space) around the secret, which your secret does not have.',
    'Trim the secret where the signature is made: its file or variable ends with a line break. The service signs without it.',
  ],
  'secret-bom': [
    'The secret contains a byte order mark or another invisible character.',
    'Save its file as UTF-8 without BOM (PowerShell writes one), or type the secret again.',
  ],
  'secret-quoted': [
    'The secret is in quotes.',
    'Remove them: docker --env-file, systemd and many dashboards keep quotes that a shell would strip, and a JSON string needs JSON.parse.',
  ],
  'secret-quotes-lost': [
    'The signature was made with quotes around the secret, which your secret does not have.',
    'Remove the quotes where the signature is made (an env file, a value that went through JSON.stringify).',
  ],
  'secret-env-line': [
    'The secret is a whole line of an env file, with the variable name and the equals sign.',
    'Keep only the part after the equals sign.',
  ],
  'secret-comment': [
    'A comment follows the secret.',
    'Put the comment on its own line: docker --env-file and systemd treat it as part of the value.',
  ],
  'secret-prefix': [
    'The secret has a prefix, such as Bearer or whsec_, that does not belong to it.',
    'Remove the prefix where the secret is stored or read.',
  ],
  'secret-prefix-lost': [
    'The signature was made with a prefix (whsec_) before the secret, which your secret does not have.',
    `Do not strip the prefix: it is part of the key. ${asShown}`,
  ],
  'secret-hex-decoded': [
    'The signature was made with the secret decoded from hex as its key.',
    `Do not decode it: createHmac('sha256', secret) instead of Buffer.from(secret, 'hex'). The key is the text. ${asShown}`,
  ],
  'secret-base64-decoded': [
    'The signature was made with the secret decoded from base64 as its key.',
    `If you encoded it (Kubernetes' data: field, atob in code), pass the decoded text to the library; if the signer decodes it, it must use createHmac('sha256', secret). The key is the text. ${asShown}`,
  ],
  'secret-hex-encoded': [
    'The key is your secret encoded as hex: yours was decoded, or the other was encoded.',
    `Remove Buffer.from(secret, 'hex'). The key is the text that the service shows. ${asShown}`,
  ],
  'secret-base64-encoded': [
    'The key is your secret encoded as base64: yours was decoded, or the other was encoded.',
    `Remove Buffer.from(secret, 'base64') and atob; in Kubernetes use stringData:, or data: with the base64 of the secret's text. ${asShown}`,
  ],
  'secret-list': [
    'The secret is a list of secrets in one string, and one of them is right; or a comma or semicolon follows it.',
    "Give the library an array: secret: (process.env.WEBHOOK_SECRETS ?? '').split(',').",
  ],
  'secret-escaped': [
    'The secret contains backslash escapes.',
    'Remove the backslashes: in an env file, single quotes keep them and double quotes interpret them.',
  ],
  'signed-without-secret': [
    'The signature was made with an empty secret, or with the string undefined or null.',
    'Set the secret where the signature is made: its variable is not set there. Do not accept such a signature: anybody can make it.',
  ],
});

const jsonString = (text: string) => (text.startsWith('"') ? (JSON.parse(text) as string) : '');

type Mistake = keyof typeof faults;

/**
 * Keys that the signer may have used, by the mistake between them and the given secret, the most frequent first. A
 * function that throws yields none.
 */
const KEYS: Partial<Record<Mistake, (text: string) => readonly (string | Uint8Array | undefined)[]>> = {
  'secret-bom': (text) => [text.replace(/[\uFEFF\u200B-\u200F\u2060\u00AD]/g, '')],
  'secret-whitespace': (text) => [text.trim(), withoutEnd(text, '\r', '\n'), text.replace(/\s/g, '')],
  'secret-quoted': (text) => [
    withoutQuotes(text),
    text.replace(/^[“‘«„](.*)[”’»“]$/s, '$1'),
    text.replace(/^["'`]|["'`]$/g, ''),
    jsonString(text),
  ],
  'secret-comment': (text) => [text.slice(0, Math.max(0, text.search(/\s(?:#|\/\/)/))).trimEnd()],
  'secret-env-line': (text) => {
    const value = text.replace(/^\s*(?:export\s+|set\s+|\$env:)?[A-Za-z_][A-Za-z0-9_.-]*\s*[=:]\s*/, '');
    return [value, withoutQuotes(value)];
  },
  'secret-prefix': (text) => [
    text.replace(
      /^(?:Bearer|Basic|Token|secret|key)\s+|^(?:whsec|sk|secret|sec|wh)[_:-]|^(?:sha256|secret|key|base64|hex)[=:]/i,
      '',
    ),
  ],
  'secret-list': (text) => text.split(/[,;|\s]+/, 8),
  'secret-whitespace-lost': (text) => [`${text}\n`, `${text}\r\n`, `${text} `, ` ${text}`, `${text}\r`, `${text}\t`],
  'secret-quotes-lost': (text) => [`"${text}"`, `'${text}'`],
  'secret-prefix-lost': (text) => [`whsec_${text}`],
  'secret-escaped': (text) => [
    text.replace(/\\n$/, '\n'),
    text.replace(/\\(.)/g, '$1'),
    withoutEnd(text, '\\n', '\\r', '\\t'),
  ],
  'signed-without-secret': () => ['undefined', 'null', '[object Object]', new Uint8Array()],
  'secret-hex-decoded': (text) => [fromHex(text.replace(/^0x/, ''))],
  'secret-base64-decoded': (text) => [fromBase64(text.replace(/^whsec_/, ''))],
  // The key was decoded to Latin-1 characters or to UTF-8 text; encoding restores it in both cases.
  'secret-hex-encoded': (text) => [toHex(utf8(text)), toHex(latin1(text)), toHex(utf8(text)).toUpperCase()],
  'secret-base64-encoded': (text) => [toBase64(utf8(text)), toBase64(latin1(text))],
};

/** Maximum length of a secret. Longer ones are not secrets of the service. */
const LONGEST = 4096;

/** Possible keys for a given secret, the most frequent mistakes first, without the secret itself. */
export function readSecret(given: string): Candidate<Uint8Array>[] {
  if (given.length > LONGEST) return [];
  const own = toHex(utf8(given));
  const found = new Map<string, Candidate<Uint8Array>>();
  for (const [mistake, make] of Object.entries(KEYS)) {
    for (const key of attempt(() => make(given)) ?? []) {
      if (key === undefined || key === '') continue;
      const value = typeof key === 'string' ? utf8(key) : key;
      const name = toHex(value);
      if (name !== own && !found.has(name)) found.set(name, { value, fault: faults[mistake as Mistake] });
    }
  }
  return [...found.values()];
}

/** The fault of using the secret of another webhook, with its label, without characters that reorder text. */
export const secretOf = (label: string): Fault =>
  fault(
    'secret-of-another-webhook',
    `The signature was made with the secret of another webhook, “${label.slice(0, 80).replace(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, '')}”.`,
    'Every webhook has its own secret. Give this route the secret of the webhook whose URL it is, or both secrets in an array.',
  );
