import { expect, it, vi } from 'vitest';
import { expressHandler } from '../../src/adapters/express.js';
import { fastifyPlugin } from '../../src/adapters/fastify.js';
import { fetchHandler } from '../../src/adapters/fetch.js';
import { lambdaHandler } from '../../src/adapters/lambda.js';
import { nodeHandler } from '../../src/adapters/node.js';
import { createReceiver, createVerifier, signDelivery, verifySignature } from '../../src/index.js';
import type { Secret } from '../../src/receive/secret.js';

const onEvent = () => {};
const makers: readonly ((secret: Secret) => unknown)[] = [
  (secret) => createVerifier({ secret }),
  ...[createReceiver, expressHandler, fastifyPlugin, fetchHandler, lambdaHandler, nodeHandler].map(
    (make) => (secret: Secret) => make({ secret, onEvent }),
  ),
];

function refusal(make: () => unknown): string {
  try {
    make();
  } catch (error) {
    expect(error).toMatchObject({ name: 'ConfigError', code: 'ERR_WEBHOOK_CONFIG' });
    return (error as Error).message;
  }
  return expect.unreachable('it was accepted');
}

const missing: Record<string, string | undefined> = {};
/** What JavaScript makes of a value that is not a secret. */
const texts: [what: string, text: string, named?: string][] = [
  ['undefined', String(missing.SECRET), 'undefined'],
  ['null', String(null), 'null'],
  ['NaN', String(Number(missing.SECRET)), 'NaN'],
  ['an object', String({}), '[object Object]'],
  ['a promise', String(Promise.resolve()), '[object Promise]'],
  ['bytes', String(new ArrayBuffer(1)), '[object ArrayBuffer]'],
  ['a boolean', String(Boolean(missing.SECRET)), 'false'],
  ['a number without end', String(-1 / 0)],
  ['a symbol', String(Symbol('x'))],
  ['an error', String(new TypeError('fetch failed'))],
  ['a function', String(function secretOf() {})],
  ['an async function', String(async function secretOf() {})],
  ['an arrow function', String(() => 'x')],
  ['an async arrow function', String(async (x: string) => x)],
  ['a class', String(class Secret {})],
  ['undefined in quotes', JSON.stringify(String(missing.SECRET)), 'undefined'],
  ['an empty text in quotes', '""'],
  ['a variable of a shell', '$' + '{WEBHOOK_SECRET}'],
  ['a variable of a template', '{{ webhook_secret }}'],
  ['nil in a template', '<no value>'],
];

it.each<[what: string, text: string, named?: string]>(texts)(
  'a secret that is the text of %s is refused when anything is created with it',
  (_, text, named) => {
    for (const make of makers) {
      const message = refusal(() => make(text));
      expect(message).toContain(named === undefined ? 'the text of something else' : `the text "${named}"`);
      expect(message).toContain('Is the environment variable set?');
      expect(refusal(() => make(['whsec-1', text, 'whsec-2']))).toContain('`secret[1]`');
    }
  },
);

const SECRET = 'whsec-9c1d';
const spaces = [
  ' ',
  '\t',
  '\n',
  '\r\n',
  '\0',
  '\u0085',
  '\u00a0',
  '\u200b',
  '\u2003',
  '\u2028',
  '\u2060',
  '\u3000',
  '\ufeff',
];

it.each(spaces)('a secret with %j before or after it is refused, and not quoted', (space) => {
  for (const make of makers) {
    for (const secret of [space + SECRET, SECRET + space, space]) {
      for (const message of [refusal(() => make(secret)), refusal(() => make([SECRET, secret]))]) {
        expect(message).toMatch(/^`secret(\[1])?` has white space, a line break or a byte order mark /);
        expect(message).not.toContain(SECRET);
      }
    }
  }
});

it.each(['s', 'a b', 'x y', 'ü日本', 'undefined-1', 'my-null', 'NaNa', 'functional', 'a->b', 'class', '[object]', '-'])(
  'the secret %j is accepted',
  (secret) => {
    for (const make of makers) expect(() => make(secret)).not.toThrow();
  },
);

const signed = (secret: string) => {
  const { rawBody: body, ...rest } = signDelivery('[]', { secret });
  return { rawBody: body, ...rest };
};

it.each(['undefined', 'null', 'NaN', '[object Object]', ' whsec', 'whsec\n', '\ufeffwhsec'])(
  'a secret function that returns %j fails, and whoever signs with it is refused',
  async (text) => {
    const errors: unknown[] = [];
    for (const found of [text, [text], { secret: text, source: 'a' }, { secret: ['whsec', text], source: 'a' }]) {
      for (const secret of [() => found, async () => found]) {
        const receiver = createReceiver({ secret, onEvent, onError: (error) => errors.push(error) });
        const { status, error } = await receiver.handle(signed(text));
        expect({ status, code: error?.code }).toEqual({ status: 503, code: 'ERR_WEBHOOK_SECRET' });
      }
    }
    expect(errors).toHaveLength(8);
    for (const error of errors) expect(error).toMatchObject({ cause: { code: 'ERR_WEBHOOK_CONFIG' } });
  },
);

it.each(['undefined', 'null', 'NaN', '[object Object]', '[object Promise]'])(
  'verifySignature is false for a delivery signed with %j',
  (text) => {
    const { rawBody, signature, timestamp } = signed(text);
    expect(verifySignature(rawBody, signature, timestamp, text)).toBe(false);
    expect(verifySignature(rawBody, signature, timestamp, ['whsec', text])).toBe(false);
    const other = signed('whsec');
    expect(verifySignature(other.rawBody, other.signature, other.timestamp, [text, 'whsec'])).toBe(true);
  },
);

it.each(['"whsec"', "'whsec'", '`whsec`', '“whsec”'])('quotes around the secret %s warn once', async (secret) => {
  const warn = vi.fn();
  const logger = { debug() {}, info() {}, warn, error() {} };
  const onConsole = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const expected = expect.stringContaining('has quotes around it');
  for (const given of [secret, [secret, secret], () => secret]) {
    warn.mockClear();
    onConsole.mockClear();
    const receiver = createReceiver({ secret: given, onEvent, logger });
    for (let delivery = 0; delivery < 3; delivery++) expect((await receiver.handle(signed(secret))).status).toBe(200);
    expect(warn.mock.calls).toEqual([[{}, expected]]);
    expect(onConsole).not.toHaveBeenCalled();
    await createReceiver({ secret: given, onEvent }).handle(signed(secret));
    expect(onConsole.mock.calls).toEqual([[expected]]);
    expect(JSON.stringify([warn.mock.calls, onConsole.mock.calls])).not.toContain('whsec');
  }
  onConsole.mockRestore();
});
