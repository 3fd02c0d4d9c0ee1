import { describe, expect, it } from 'vitest';
import type { EventIssue } from '../../src/errors.js';
import { checkEventEmitted, checkTransactionIncluded } from '../../src/events/generated-checks.js';
import { eventEmittedSchema, transactionIncludedSchema } from '../../src/events/schemas.js';
import { changed, emitted, included, pathsOf, put } from '../fixtures/events.js';
import { fc } from '../fixtures/property.js';

const unique = (paths: readonly (readonly PropertyKey[])[]) =>
  [...new Set(paths.map((path) => JSON.stringify(path)))].sort();

function checkedPaths(check: (event: unknown, issues: EventIssue[]) => void, event: unknown): string[] {
  const issues: EventIssue[] = [];
  check(event, issues);
  return unique(issues.map(({ path }) => path));
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
        expect(checkedPaths(check, ours)).toEqual(unique(result.error?.issues.map(({ path }) => path) ?? []));
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
    expect(checkedPaths(check, value)).toEqual(unique(issues.map(({ path }) => path)));
  });
});

describe('what checks an event', () => {
  it('adds to the issues that are there, up to 100', () => {
    const issues: EventIssue[] = new Array(99).fill({ path: [], message: 'before' });
    checkTransactionIncluded({}, issues);
    expect(issues).toHaveLength(100);
    expect(issues.at(-1)).toEqual({ path: ['id'], message: 'expected a string that is not empty' });
  });

  it('stops at 100 issues of one event', () => {
    const issues: EventIssue[] = [];
    checkEventEmitted(changed(emitted(), ['data', 'event', 'inputs'], new Array(1000).fill({})), issues);
    expect(issues).toHaveLength(100);
  });
});
