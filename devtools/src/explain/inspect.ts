import { type Fault, type Finding, fault, likely, possible } from './finding.js';
import { inspectBody, reordered, rounded } from './inspect-body.js';
import type { ReadOptions } from './options.js';
import { formOfSignature } from './signature.js';
import { formOfTimestamp } from './timestamp.js';

const names = 'If the headers have other names, set the option headers: multibaasHeaders, serviceHeaders or your own.';

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
  if (secrets.length === 0) {
    return [
      fault(
        'secret-missing',
        'The secret is missing: it is undefined or empty.',
        'Set its variable, such as WEBHOOK_SECRET=…, in the environment of the receiver (container, function or worker), and restart the receiver.',
      ),
    ];
  }
  const found: Fault[] = [];
  const texts = secrets.filter((secret) => typeof secret === 'string');
  if (texts.some(isPlaceholder)) {
    found.push(
      fault(
        'secret-placeholder',
        'The secret is a placeholder, or a variable name that was not replaced.',
        'Replace it with the secret of the webhook, and check that whatever reads the file expands variables (docker --env-file and single quotes do not).',
      ),
    );
  }
  if (texts.some((text) => /^ey[\w-]+\.[\w-]+\.[\w-]*$/.test(text))) {
    found.push(
      fault(
        'secret-is-api-key',
        'The secret has the form of an API key (a JWT).',
        "Use the webhook's signing secret, which was shown when the webhook was created. The API key is for calls to the service.",
      ),
    );
  }
  if (texts.some((text) => /\ufffd|(?![\t-\r])\p{Cc}/u.test(text))) {
    found.push(
      fault(
        'secret-decoded',
        'The secret contains characters that text does not contain: it was decoded from hex or base64.',
        "Remove Buffer.from(secret, 'hex' or 'base64') and atob: the key is the text as shown.",
      ),
    );
  }
  return found;
}

function ofSignature({ signature }: ReadOptions): Fault[] {
  const expected = 'The service sends 64 hex digits, an HMAC-SHA256.';
  if (signature === undefined || signature.length === 0) {
    return [
      fault(
        'signature-missing',
        'The signature is missing.',
        `Pass the signature header on, and check that proxies let it through. ${names}`,
      ),
    ];
  }
  if (typeof signature !== 'string') return [];
  const text = signature.trim();
  if (/^(?:\*{3,}|\[?redacted\]?|…|\.{3}|<.*>|undefined|null)/i.test(text)) {
    return [
      fault(
        'signature-masked',
        'The signature is masked or a placeholder.',
        'Take it from the request itself: logs and traces mask signatures.',
      ),
    ];
  }
  const form = formOfSignature(text);
  if (/^(?:t=[0-9]+|v[0-9]+,)/.test(text) || (form === undefined && /^(?:v[0-9]+|sha[0-9]+)=/.test(text))) {
    return [
      fault(
        'signature-of-another-scheme',
        'The signature has the format of another service (GitHub: sha256=; Stripe: t=,v1=; Svix: v1,; Slack: v0=).',
        `Verify it with the library of that service, or read the right header. ${expected} ${names}`,
      ),
    ];
  }
  if (form) return [...form];
  return [fault('signature-form', 'The signature is not 64 hex digits.', `${expected} ${names}`)];
}

function ofTimestamp({ timestamp: { value, faults } }: ReadOptions): Fault[] {
  const form = formOfTimestamp(value);
  if (value !== '' || faults.length > 0) return form ? [form] : [...faults];
  return [
    fault(
      'timestamp-missing',
      'The timestamp is missing.',
      `Pass the timestamp header on, and check that proxies let it through. ${names}`,
    ),
  ];
}

const altered = (isAlone: boolean): Fault =>
  fault(
    'altered-or-other-secret',
    `${isAlone ? 'No common mistake explains it: the' : 'The'} delivery was altered on the way, or was signed with a secret that you did not give.`,
    'First compare the secret with that of the webhook; try those of your other webhooks (`otherSecrets`, --other-secret-file). Then compare the body with the one that was signed (`explain --signed`). If both are right, somebody else sent it: keep refusing it.',
  );

const isMissing = ({ cause }: Fault) => cause.endsWith('-missing') || cause.startsWith('headers-');

function ofHeaders(given: ReadOptions): Fault[] {
  const faults = [...ofSignature(given), ...ofTimestamp(given)];
  if (given.other) return [given.other.fault, ...faults.filter((each) => !isMissing(each))];
  if (faults.filter(isMissing).length < 2) return faults;
  return [fault('headers-missing', 'The signature and the timestamp are missing.', `Pass both headers on. ${names}`)];
}

/** Whether the form of a body or a header fully explains the failure. */
const isEnough = ({ cause }: Fault) =>
  ![rounded.cause, reordered.cause].includes(cause) && !cause.startsWith('headers-');

/** Findings from the form of the parts, when the search found no match. */
export function inspectParts(given: ReadOptions): Finding[] {
  const headers = ofHeaders(given);
  const secret = ofSecret(given);
  if (given.bodyUnread) return [...headers, ...secret].map(likely);
  const body = inspectBody(given);
  // First causes that prevent every verification, then probable changes of the body.
  const found =
    secret[0]?.cause === 'secret-missing'
      ? [...secret, ...headers, ...body]
      : [...headers.filter(isMissing), ...body, ...headers.filter((each) => !isMissing(each)), ...secret];
  const isRead = given.signature !== undefined && given.timestamp.value !== '';
  const isExplained = !isRead || secret[0]?.cause === 'secret-missing' || [...body, ...headers].some(isEnough);
  return [...found.map(likely), ...(isExplained ? [] : [possible(altered(found.length === 0))])];
}
