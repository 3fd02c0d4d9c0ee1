import { parsedJson } from './body.js';
import { bodyFaults } from './body-faults.js';
import { textOf, toHex, utf8 } from './bytes.js';
import { type Fault, type Finding, fault, faultsOf, headerNames, likely, possible } from './finding.js';
import type { ReadOptions } from './options.js';
import { formOfSignature } from './signature.js';
import { formOfTimestamp } from './timestamp.js';

const faults = faultsOf({
  'secret-missing': [
    'The secret is missing: it is undefined or empty.',
    'Set its variable, such as WEBHOOK_SECRET=…, in the environment of the receiver (container, function or worker), and restart the receiver.',
  ],
  'secret-placeholder': [
    'The secret is a placeholder, or a variable name that was not replaced.',
    'Replace it with the secret of the webhook, and check that whatever reads the file expands variables (docker --env-file and single quotes do not).',
  ],
  'secret-is-api-key': [
    'The secret has the form of an API key (a JWT).',
    "Use the webhook's signing secret, which was shown when the webhook was created. The API key is for calls to the service.",
  ],
  'headers-missing': ['The signature and the timestamp are missing.', `Pass both headers on. ${headerNames}`],
});

const PLACEHOLDER =
  /^(?:undefined|null|none|nan|true|false|\[object \w+\]|\$\{?\w*(?:\}|$)|\$\{\{.*|%\w+%|<.*>|\{\{.*\}\}|\$\(.*\)|process\.env.*|change[-_ ]?me|secret|todo|x{3,}|\*{3}.*|\[?redacted\]?|\.{3}|…)$/i;

/** Words of placeholders, such as "your-webhook-secret" and "my key". */
function isOfSomebody(text: string): boolean {
  const whose = text.search(/\b(?:your|my)/i);
  return whose >= 0 && /secret|key/i.test(text.slice(whose));
}

/** Maximum length of a placeholder. */
const LONGEST_PLACEHOLDER = 200;

function isPlaceholder(secret: string): boolean {
  const text = secret.trim().replace(/^["']/, '').replace(/["']$/, '').trim();
  return text.length <= LONGEST_PLACEHOLDER && (PLACEHOLDER.test(text) || isOfSomebody(text));
}

function ofSecret({ secrets }: ReadOptions): Fault[] {
  if (secrets.length === 0) return [faults['secret-missing']];
  if (secrets.some(isPlaceholder)) return [faults['secret-placeholder']];
  return secrets.some((text) => /^ey[\w-]+\.[\w-]+\.[\w-]*$/.test(text)) ? [faults['secret-is-api-key']] : [];
}

const isMissing = ({ cause }: Fault) => cause.endsWith('-missing') || cause.startsWith('headers-');

function ofHeaders({ signature, timestamp, other }: ReadOptions): Fault[] {
  const found = [...formOfSignature(signature), formOfTimestamp(timestamp) ?? []].flat();
  if (other) return [other.fault, ...found.filter((each) => !isMissing(each))];
  return found.filter(isMissing).length < 2 ? found : [faults['headers-missing']];
}

/** Findings from the form of headers and secret, and of the body if it was read. */
export function inspectHeaders(given: ReadOptions, body: readonly Fault[] = []): Finding[] {
  const found = [...ofHeaders(given), ...ofSecret(given)];
  // First causes that prevent every verification, then probable changes of the body.
  return [...found.filter(isMissing), ...body, ...found.filter((each) => !isMissing(each))].map(likely);
}

/** The first bytes of gzip, zstd, and zlib at each of its levels. */
const COMPRESSED = ['1f8b', '28b5', '7801', '785e', '789c', '78da'];

/** Causes by the form of the body. */
function causesOfBody(bytes: Uint8Array): (keyof typeof bodyFaults)[] {
  if (bytes.length === 0) return ['body-empty'];
  if (COMPRESSED.includes(toHex(bytes.subarray(0, 2)))) return ['body-compressed'];
  const text = textOf(bytes);
  if (text === undefined) return ['body-not-utf8'];
  const ofCharacters = text.includes('\ufffd') ? (['body-replacement-characters'] as const) : [];
  const ofText = causeOfText(text.replace(/^\uFEFF/, ''));
  return [...ofCharacters, ...(ofText ? [ofText] : [])];
}

function causeOfText(text: string): keyof typeof bodyFaults | undefined {
  const bare = text.trim();
  if (/^(?:\[object \w+\]|undefined|null)$/.test(bare)) return 'body-stringified';
  if (/^(?:\{\}|\[\])$/.test(bare)) return 'body-consumed';
  if (/^</.test(bare)) return 'body-not-json';
  if (isCut(text)) return 'body-truncated';
  if (!/^[[{]/.test(bare) && parsedJson(utf8(text), text) === undefined) return 'body-not-json';
  if (bare.startsWith('{')) return 'body-single-event';
  if (/^\[\s?\{\s?(?:"id"\s?:\s?"[^"\\]{0,99}"\s?,\s?)?"data"/.test(text)) return 'body-keys-reordered';
  return hasRounded(text) ? 'body-numbers-rounded' : undefined;
}

/** Whether a JSON text ends inside a string, list or object. */
function isCut(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') {
      for (at++; at < text.length && text[at] !== '"'; at++) if (text[at] === '\\') at++;
      if (at >= text.length) return true;
    } else if (character === '[' || character === '{') depth++;
    else if (character === ']' || character === '}') depth--;
  }
  return depth > 0;
}

function hasRounded(text: string): boolean {
  const [digits] = /(?<=[:[,] ?)[1-9][0-9]{15,20}0(?=[\]},])/.exec(text) ?? [];
  return digits !== undefined && String(Number(digits)) === digits;
}

/** Causes that do not exclude others. */
const PARTIAL = /^(?:headers|secret)-|^body-(?:numbers-rounded|keys-reordered)$/;

/** Findings from the form of all parts, when the search found no match. */
export function inspectParts(given: ReadOptions): Finding[] {
  const body = causesOfBody(given.body).map((cause) => bodyFaults[cause]);
  const found = inspectHeaders(given, body);
  const isExplained = found.some(({ cause }) => !PARTIAL.test(cause));
  return isExplained ? found : [...found, possible(altered(found.length === 0))];
}

const altered = (isOnly: boolean): Fault =>
  fault(
    'altered-or-other-secret',
    `${isOnly ? 'No common mistake explains it: the' : 'The'} delivery was altered on the way, or was signed with a secret that you did not give.`,
    'First compare the secret with that of the webhook; try those of your other webhooks (`otherSecrets`, --other-secret-file). Then compare the body with the one that was signed (`explain --signed`). If both are right, somebody else sent it: keep refusing it.',
  );
