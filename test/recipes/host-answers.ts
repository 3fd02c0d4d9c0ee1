import type { HostAnswer } from './remote-matrix.js';

type Entry = readonly [title: string, HostAnswer];

const all = (titles: readonly string[], answer: HostAnswer): Entry[] => titles.map((title) => [title, answer]);

const methods = (named: readonly string[], answer: HostAnswer) =>
  all(
    named.map((method) => `answers 405 with Allow to ${method}`),
    answer,
  );

/** Of a host that decodes and parses the body first: Nest with `rawBody: true`, Google's framework. */
export const PARSED_FIRST: readonly Entry[] = [
  ...all(
    [
      'refuses a body changed by one bit of its last byte',
      'refuses a body without its last byte',
      'refuses a body without its first byte',
      'refuses a byte moved from the body to the timestamp',
      'answers 400 to an authentic body that is UTF-8 cut inside a character',
      'answers 400 to an authentic body that is UTF-16',
      'answers 400 to an authentic body that is not JSON',
      'answers 400 to an authentic body that is blank',
      'answers 400 to an authentic body that is a JSON string',
      'answers 400 to an authentic body that is JSON null',
    ],
    { status: 400, why: 'the host parses first, and answers itself to what is no JSON array or object' },
  ),
  ['answers 415 to Content-Encoding br', { status: 400, why: 'the host decodes first, and this is gzip' }],
  ...all(['answers 415 to Content-Encoding identity, gzip', 'answers 415 to Content-Encoding nonsense'], {
    status: 415,
    why: 'the host decodes first, and answers itself to what it cannot decode',
  }),
];

/** Of Nest: the limit of its parser is not above the receiver's. */
export const OWN_LIMIT: readonly Entry[] = all(
  ['answers 413 to a sender of 20 MB who sends on regardless', 'answers 413 to 20 MB in chunks'],
  { status: 413, why: 'the host answers itself to more than its own limit' },
);

/** Of Next.js, which answers itself to methods that a route does not export. */
export const NEXT: readonly Entry[] = [
  ...methods(['GET', 'PUT', 'DELETE'], { status: 405, why: 'Next answers itself, without Allow' }),
  ['answers 405 to a GET without a body', { status: 405, why: 'Next answers itself, without Allow' }],
  ...methods(['OPTIONS'], { status: 204, why: 'Next says itself which methods there are' }),
  ...methods(['PROPFIND'], { status: 400, why: 'Next knows no such method' }),
];

/** Of Next.js on the edge runtime, which cuts what it hands on. */
export const NEXT_EDGE: readonly Entry[] = [
  ...NEXT,
  [
    'answers 413 to 20 MB in chunks',
    { status: 403, why: 'Next hands on no more than the first 10 MB (experimental.proxyClientMaxBodySize)' },
  ],
];

/** Of Vercel: the function with the Web signature, and that with Node's. */
export const VERCEL_WEB: readonly Entry[] = [
  ...methods(['GET', 'PUT', 'DELETE', 'OPTIONS', 'PROPFIND'], {
    status: 405,
    why: 'Vercel answers itself, without Allow',
  }),
  ['answers 405 to a GET without a body', { status: 405, why: 'Vercel answers itself, without Allow' }],
];
export const VERCEL_NODE: readonly Entry[] = [
  ...methods(['PROPFIND'], { status: 405, why: 'Vercel knows no such method' }),
];

/** Of Azure Functions, whose host knows which methods a function takes. */
export const AZURE: readonly Entry[] = [
  ...methods(['GET', 'PUT', 'DELETE', 'OPTIONS', 'PROPFIND'], {
    status: 404,
    why: 'the host does not call the function',
  }),
  ['answers 405 to a GET without a body', { status: 404, why: 'the host does not call the function' }],
];

/** Of SvelteKit's adapter-node. */
export const SVELTEKIT: readonly Entry[] = [
  [
    'answers 413 to 20 MB in chunks',
    { status: 'closed', why: 'adapter-node breaks the connection off when the rest of a body is not wanted' },
  ],
];

/** Of Nest on Fastify. */
export const NEST_FASTIFY: readonly Entry[] = methods(['PROPFIND'], {
  status: 404,
  why: 'Fastify has no such method unless told',
});

/** Of workerd, with a store on D1. */
export const WORKER: readonly Entry[] = [
  ...all(['answers 413 to a sender of 20 MB who sends on regardless', 'answers 413 to 20 MB in chunks'], {
    status: [413, 'closed'],
    why: 'workerd closes at once, which a sender who sends on may see before the answer',
  }),
];
