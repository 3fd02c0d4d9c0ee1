import fc from 'fast-check';

const hostile = <T extends object>(target: T): T =>
  new Proxy(target, {
    get() {
      throw new Error('Do not look at me.');
    },
    getPrototypeOf() {
      throw new Error('Do not look at me.');
    },
    has() {
      throw new Error('Do not look at me.');
    },
  });

const throwingGetter = (name: string) =>
  Object.defineProperty({ code: 'ERR_WEBHOOK_HANDLER', status: 200 }, name, {
    get() {
      throw new Error('Do not look at me.');
    },
  });

const STATUSES = [200, 204, 302, 413, 403, 99, 600, 100_000, -1, 0.5, 500.5, 2 ** 53, Number.NaN];
const ODD_STATUSES: unknown[] = [
  Number.POSITIVE_INFINITY,
  500n,
  '200',
  null,
  undefined,
  {},
  [200],
  true,
  Symbol('200'),
];

const CODES = ['HANDLER', 'HANDLER_TIMEOUT', 'RAW_BODY_UNAVAILABLE', 'STORE', 'OVERLOADED', 'SIGNATURE', 'METHOD']
  .concat(['INVALID_BODY', 'IN_PROGRESS', 'CONFIG', 'INTERNAL', 'SECRET', 'ENQUEUE', 'NO_SUCH_CODE', '__proto__'])
  .map((name) => `ERR_WEBHOOK_${name}`);

/** What claims to be an error of ours, with a status that it wishes for. */
const claims = fc
  .record({
    code: fc.constantFrom<unknown>(...CODES, 'constructor', 7, null),
    status: fc.constantFrom<unknown>(...STATUSES, ...ODD_STATUSES),
    form: fc.constantFrom('plain', 'null prototype', 'error', 'frozen', 'function'),
  })
  .map(({ code, status, form }) => (): unknown => {
    if (form === 'null prototype') return Object.assign(Object.create(null), { code, status });
    if (form === 'error') return Object.assign(new Error('claims'), { code, status });
    if (form === 'function') return Object.assign(() => {}, { code, status });
    const plain = { code, status, message: 7, retryAfterSeconds: '\r\nX: y' };
    return form === 'frozen' ? Object.freeze(plain) : plain;
  });

const oddities = fc.constantFrom<() => unknown>(
  () => undefined,
  () => null,
  () => 200,
  () => 500n,
  () => '200',
  () => Symbol('thrown'),
  () => hostile({}),
  () => hostile(new Error('hostile')),
  () => hostile(() => {}),
  () => throwingGetter('code'),
  () => throwingGetter('status'),
  () => throwingGetter('message'),
  () => throwingGetter('then'),
  () => Object.create(null),
  () => new Proxy({}, {}),
);

/** Makes whatever user code may throw: made late, as not even the generator may look at some of it. */
export const anyThrown: fc.Arbitrary<() => unknown> = fc.oneof(
  { weight: 3, arbitrary: claims },
  { weight: 1, arbitrary: oddities },
);
