import { describe, expect, it } from 'vitest';
import type { EventIssue } from '../../src/errors.js';
import { checkEventEmitted, checkTransactionIncluded } from '../../src/events/generated-checks.js';
import { eventEmittedSchema, transactionIncludedSchema } from '../../src/events/schemas.js';
import { changed, emitted, included, pathsOf, put } from '../fixtures/events.js';
import { fc } from '../fixtures/property.js';

const unique = (paths: readonly (readonly PropertyKey[])[]) =>
  [...new Set(paths.map((path) => JSON.stringify(path)))].sort();

function issuesOf(check: (event: unknown, issues: EventIssue[]) => void, event: unknown): EventIssue[] {
  const issues: EventIssue[] = [];
  check(event, issues);
  return issues;
}

/** Expects the issues to be at these paths; with as many issues as there may be, at some of them. */
function expectAt(issues: readonly EventIssue[], theirs: readonly (readonly PropertyKey[])[]): void {
  const [found, expected] = [unique(issues.map(({ path }) => path)), unique(theirs)];
  if (issues.length < 10) expect(found).toEqual(expected);
  else expect(expected).toEqual(expect.arrayContaining(found));
}

/** What a mutated event may hold where something else stood; undefined takes the key away. */
const replacements = fc.oneof(
  { arbitrary: fc.constant(undefined), weight: 3 },
  fc.jsonValue(),
  fc.constantFrom(
    null,
    '',
    'x',
    true,
    0,
    -1,
    1.5,
    2 ** 53,
    1e300,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    [],
    {},
    [[]],
    [null],
  ),
  fc.constantFrom('event.emitted', 'transaction.included', 1n, () => 'x'),
);
const changes = fc.array(fc.tuple(fc.nat(), replacements), { maxLength: 4 });

describe.each([
  ['event.emitted', emitted, checkEventEmitted, eventEmittedSchema],
  ['transaction.included', included, checkTransactionIncluded, transactionIncludedSchema],
] as const)('the check of %s', (_, make, check, schema) => {
  it('finds wrong exactly what the zod schema finds wrong, and fills in the same', () => {
    let valid = 0;
    let invalid = 0;
    fc.assert(
      fc.property(changes, (list) => {
        // The check fills in labels, so each of the two gets an event of its own.
        const [ours, theirs] = [make(), make()];
        for (const event of [ours, theirs]) {
          for (const [at, value] of list) {
            const paths = pathsOf(event);
            const path = paths[at % paths.length];
            if (path !== undefined) put(event, path, typeof value === 'object' ? structuredClone(value) : value);
          }
        }
        const result = schema.safeParse(theirs);
        expectAt(issuesOf(check, ours), result.error?.issues.map(({ path }) => path) ?? []);
        if (result.success) {
          valid++;
          // zod leaves unknown keys out; what it keeps is the same.
          expect(ours).toMatchObject(result.data);
        } else invalid++;
      }),
      { numRuns: 1000 },
    );
    expect(Math.min(valid, invalid)).toBeGreaterThan(100);
  });

  it.each([undefined, null, 7, 'x', [], true, {}])('agrees with it on %j too', (value) => {
    const issues = schema.safeParse(value).error?.issues ?? [];
    expect(issues.length).toBeGreaterThan(0);
    expectAt(
      issuesOf(check, value),
      issues.map(({ path }) => path),
    );
  });
});

describe('what checks an event', () => {
  it('adds to the issues that are there, up to 10', () => {
    const issues: EventIssue[] = new Array(9).fill({ path: [], message: 'before' });
    checkTransactionIncluded({}, issues);
    expect(issues).toHaveLength(10);
    expect(issues.at(-1)).toEqual({ path: ['id'], message: 'expected a string that is not empty' });
  });

  it('stops at 10 issues of one event, and looks at no further input', () => {
    const inputs: object[] = new Array(1000).fill({});
    let read = 0;
    Object.defineProperty(inputs, 500, { get: () => read++ });
    expect(issuesOf(checkEventEmitted, changed(emitted(), ['data', 'event', 'inputs'], inputs))).toHaveLength(10);
    expect(read).toBe(0);
  });
});
