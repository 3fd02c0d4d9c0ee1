import { expect, it } from 'vitest';
import { createReceiver, createVerifier, signDelivery } from '../../src/index.js';
import type { Secret } from '../../src/receive/options.js';

const onEvent = () => {};
const makers = [
  (secret: Secret) => createVerifier({ secret }),
  (secret: Secret) => createReceiver({ secret, onEvent }),
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
const texts = [
  String(missing.SECRET),
  String(null),
  String(Number(missing.SECRET)),
  String({}),
  String(Promise.resolve()),
  String(new ArrayBuffer(1)),
];

it.each(texts)('a secret that is the text %j is refused when anything is created with it', (text) => {
  for (const make of makers) {
    for (const secret of [text, ['whsec-1', text, 'whsec-2']]) {
      expect(refusal(() => make(secret))).toBe(
        `\`secret\` is the text "${text}" and not a secret. Is the environment variable set?`,
      );
    }
  }
});

it.each([undefined, null, '', 7, [], [undefined], ['whsec-1', '']])(
  'a missing secret, such as %j, is refused when anything is created with it',
  (secret) => {
    for (const make of makers) {
      expect(refusal(() => make(secret as never))).toMatch(/^`secret` must be a non-empty string.*variable set\?$/);
    }
  },
);

const SECRET = 'whsec-9c1d';
const spaces = [' ', '\t', '\n', '\r\n', '\u00a0', '\u2003', '\u2028', '\u3000', '\ufeff'];

it.each(spaces)('a secret with %j before or after it is refused', (space) => {
  for (const make of makers) {
    for (const secret of [space + SECRET, SECRET + space, space]) {
      for (const message of [refusal(() => make(secret)), refusal(() => make([SECRET, secret]))]) {
        expect(message).toBe('`secret` has white space around it. Remove it with `trim()`.');
      }
    }
  }
});

it.each([
  's',
  'a b',
  'x y',
  'ü日本',
  'undefined-1',
  'my-null',
  'NaNa',
  'functional',
  'a->b',
  'class',
  '[object]',
  '-',
  '"quoted"',
])('the secret %j is accepted', (secret) => {
  for (const make of makers) expect(() => make(secret)).not.toThrow();
});

it.each(['undefined', 'null', 'NaN', '[object Object]', ' whsec', 'whsec\n', '\ufeffwhsec'])(
  'a secret function that returns %j fails, and whoever signs with it is refused',
  async (text) => {
    const errors: unknown[] = [];
    for (const found of [text, [text], { secret: text, source: 'a' }, { secret: ['whsec', text], source: 'a' }]) {
      for (const secret of [() => found, async () => found]) {
        const receiver = createReceiver({ secret, onEvent, onError: (error) => errors.push(error) });
        const { status, error } = await receiver.handle(signDelivery('[]', { secret: text }));
        expect({ status, code: error?.code }).toEqual({ status: 503, code: 'ERR_WEBHOOK_SECRET' });
      }
    }
    expect(errors).toHaveLength(8);
    for (const error of errors) expect(error).toMatchObject({ cause: { code: 'ERR_WEBHOOK_CONFIG' } });
  },
);
