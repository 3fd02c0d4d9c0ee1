import { createHmac } from 'node:crypto';

/** Any implementation of verifySignature, called with anything. */
export type Verify = (...args: readonly unknown[]) => unknown;

/** One call of verifySignature and what it must give. */
export interface SignatureCase {
  readonly name: string;
  readonly args: readonly [rawBody: unknown, signature: unknown, timestamp: unknown, secret: unknown];
  readonly expected: boolean;
}

/** Signed with Python's hmac and checked with `openssl dgst -sha256 -hmac`: body in hex, timestamp, secret, signature. */
export const vectors = [
  ['5b5d', '1699582290', 'whsec-test', '8e1b8cef575df0e5e73840074f58879a48f4e5e60900f6a51fefc85c5d290211'],
  [
    '5b7b226964223a2231222c226576656e74223a226576656e742e656d6974746564227d5d',
    '1700000000',
    'whsec-test',
    '953127db992db2b47cafc6c983b4333e6a907fbf3b17673126ef21eea563e056',
  ],
  // Bytes that are no UTF-8.
  ['00ff80c3280a0d00feff', '0', 'whsec-test', 'c324a4c151e86bcd4daa6c4b1c41b8ea1fd652c0e02b90d598923c1721b3f82b'],
  // A body and a secret beyond ASCII.
  [
    '5b7b226964223a22d0bad0bbd18ed187222c226e6f7465223a22e697a5e69cace8aa9e20f09f8e89227d5d',
    '9999999999999999',
    'пароль-密钥-🔑',
    'e1d4fd5bf438d964b89a2ddb03973d0b1d262eed6a093a19a056bdc3dad91c48',
  ],
  // A secret longer than the hash's block.
  ['5b315d', '1699582290', 'a'.repeat(131), '589554100da77ce990edd2b972b8aa3e3773740343e7e7c12e1a8c8628e6181b'],
  // A secret that looks like hex is still text: it is the hex of "key", whose signature is another one.
  ['5b315d', '1699582290', '6b6579', '0c1bc1ecf0dddcdd2f987531e9dbb2507fc71df8515d81842504ad6ce0db8710'],
  ['5b315d', '1699582290', 'key', '4f967795f079de2c181bd27ff623894550c36d2d9ebca42c2db3692944686a94'],
  ['5b5d0a', '1', 's', 'cb0f07e79bcfa98df5c2f934394171d9fff58800ff8026cadbd2c53dd1a31aab'],
  ['efbbbf5b5d', '1', 's', 'a46dc5b5565e3ade9d5c31be1cbf66ec1e49518db1340b138a88e7abea6528c1'],
] as const;

export const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'));

const BODY = '[{"id":"1"}]';
const TIME = '1699582290';
const SECRET = 'whsec-test';

/** The right HMAC for what is not in the right form, so that only the form can be what is refused. */
const mac = (body: string | NodeJS.ArrayBufferView, timestamp = TIME, secret = SECRET) =>
  createHmac('sha256', secret).update(body).update(timestamp).digest('hex');

const SIGNATURE = mac(BODY);
const flip = (text: string, at: number) => `${text.slice(0, at)}${text[at] === '0' ? '1' : '0'}${text.slice(at + 1)}`;
/** Another character with the same low byte, which is all that latin1 keeps. */
const lookAlike = (text: string, at: number) =>
  text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) + 0x100) + text.slice(at + 1);

const bodyCase = (name: string, rawBody: unknown, signature: string, expected: boolean): SignatureCase => ({
  name,
  args: [rawBody, signature, TIME, SECRET],
  expected,
});
const signatureCase = (name: string, signature: unknown, expected = false): SignatureCase => ({
  name: `signature: ${name}`,
  args: [BODY, signature, TIME, SECRET],
  expected,
});
const timeCase = (timestamp: string, expected = false): SignatureCase => ({
  name: `timestamp ${JSON.stringify(timestamp)}, signed as it is`,
  args: [BODY, mac(BODY, timestamp), timestamp, SECRET],
  expected,
});
const secretCase = (name: string, secret: unknown, expected: boolean, signature = SIGNATURE): SignatureCase => ({
  name: `secret: ${name}`,
  args: [BODY, signature, TIME, secret],
  expected,
});

const utf8 = (text: string) => new TextEncoder().encode(text);
const words = new Uint16Array(utf8(BODY).buffer);
const throwing = (): never => {
  throw new Error('looked at');
};

/** What every backend must give. The order matters: see the case of 63 digits. */
export const cases: readonly SignatureCase[] = [
  ...vectors.map(([body, timestamp, secret, signature], index) => ({
    name: `vector ${index}`,
    args: [bytes(body), signature, timestamp, secret] as const,
    expected: true,
  })),
  bodyCase('body as text', BODY, SIGNATURE, true),
  bodyCase('body as bytes', utf8(BODY), SIGNATURE, true),
  bodyCase('body as an ArrayBuffer', utf8(BODY).buffer, SIGNATURE, true),
  bodyCase('body as a part of a larger buffer', utf8(`xx${BODY}yy`).subarray(2, -2), SIGNATURE, true),
  bodyCase('text beyond ASCII', '["é日🎉"]', mac('["é日🎉"]'), true),
  bodyCase('text with space around it', ` ${BODY}\n`, mac(` ${BODY}\n`), true),
  bodyCase('body changed by one byte', BODY.replace('1', '2'), SIGNATURE, false),
  bodyCase('body with a newline added', `${BODY}\n`, SIGNATURE, false),
  bodyCase('empty text', '', mac(''), false),
  bodyCase('no bytes', new Uint8Array(0), mac(''), false),
  bodyCase('an empty ArrayBuffer', new ArrayBuffer(0), mac(''), false),
  bodyCase('missing body', undefined, mac(''), false),
  bodyCase('text with a lone surrogate', '["\ud800"]', mac('["\ufffd"]'), false),
  bodyCase('elements of two bytes', words, mac(words), false),
  bodyCase('a DataView', new DataView(words.buffer), SIGNATURE, false),
  bodyCase('a body that throws when it is looked at', new Proxy({}, { get: throwing }), SIGNATURE, false),
  signatureCase('upper case', SIGNATURE.toUpperCase(), true),
  signatureCase('mixed case', SIGNATURE.slice(0, 32) + SIGNATURE.slice(32).toUpperCase(), true),
  // Right after one that matched: a buffer that is used again still holds the missing digit.
  signatureCase('63 digits', SIGNATURE.slice(0, 63)),
  signatureCase('first digit changed', flip(SIGNATURE, 0)),
  signatureCase('digit in the middle changed', flip(SIGNATURE, 32)),
  signatureCase('last digit changed', flip(SIGNATURE, 63)),
  signatureCase('another digest', 'f'.repeat(64)),
  signatureCase('65 digits', `${SIGNATURE}0`),
  signatureCase('twice', SIGNATURE + SIGNATURE),
  signatureCase('zz at its end', `${SIGNATURE}zz`),
  signatureCase('newline at its end', `${SIGNATURE}\n`),
  signatureCase('space in front', ` ${SIGNATURE}`),
  signatureCase('look-alike at its start', lookAlike(SIGNATURE, 0)),
  signatureCase('look-alike at its end', lookAlike(SIGNATURE, 63)),
  signatureCase('empty', ''),
  signatureCase('in an array', [SIGNATURE]),
  signatureCase('as a String object', Object(SIGNATURE)),
  timeCase('0', true),
  timeCase('1', true),
  timeCase('9'.repeat(16), true),
  ...['', '00', '01', '1e9', ' 1', '1 ', '1\n', '+1', '-1', '1.0', '0x1', '1_0', '9'.repeat(17)].map((text) =>
    timeCase(text),
  ),
  ...['١٢٣', '１２３', '1699582290٠'].map((text) => timeCase(text)),
  { name: 'timestamp changed', args: [BODY, SIGNATURE, '1699582291', SECRET], expected: false },
  { name: 'timestamp as a number', args: [BODY, SIGNATURE, 1699582290, SECRET], expected: false },
  secretCase('the only one of an array', [SECRET], true),
  secretCase('the last of several', ['other', 'another', SECRET], true),
  secretCase('the first of several', [SECRET, 'other'], true),
  secretCase('after an empty one', ['', SECRET], true),
  secretCase('after what is no text', [undefined, 7, null, {}, SECRET], true),
  secretCase('wrong', 'whsec-tesT', false),
  secretCase('several, all wrong', ['other', 'another'], false),
  secretCase('none', [], false),
  secretCase('empty', '', false, mac(BODY, TIME, '')),
  secretCase('empty, in an array', [''], false, mac(BODY, TIME, '')),
  secretCase('missing', undefined, false, mac(BODY, TIME, '')),
  secretCase('as bytes', Buffer.from(SECRET), false),
  secretCase('as bytes, in an array', [Buffer.from(SECRET)], false),
  secretCase('in nested arrays', [[SECRET]], false),
  secretCase('an array that throws when it is looked at', new Proxy([SECRET], { get: throwing }), false),
  secretCase('with a space at its end', `${SECRET} `, false),
];
