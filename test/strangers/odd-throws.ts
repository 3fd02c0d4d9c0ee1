import fc from 'fast-check';

const get = () => {
  throw new Error('Do not look at me.');
};
const hostile = <T extends object>(target: T): T => new Proxy(target, { get, getPrototypeOf: get, has: get });
const throwingGetter = (name: string) =>
  Object.defineProperty({ code: 'ERR_WEBHOOK_HANDLER', status: 200 }, name, { get });

const STATUSES = [200, 204, 302, 413, 99, 100_000, -1, 500.5, Number.NaN, 500n, '200', null, {}, [200], Symbol('200')];

const CODES = ['HANDLER', 'RAW_BODY_UNAVAILABLE', 'STORE', 'OVERLOADED', 'INVALID_BODY', 'CONFIG', 'NO_SUCH_CODE'].map(
  (name) => `ERR_WEBHOOK_${name}`,
);

/** What claims to be an error of ours, with a status that it wishes for. */
const claims = fc
  .record({
    code: fc.constantFrom<unknown>(...CODES, 'constructor', 7, null),
    status: fc.constantFrom<unknown>(...STATUSES),
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
