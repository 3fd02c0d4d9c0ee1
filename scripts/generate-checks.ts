import { readFileSync, writeFileSync } from 'node:fs';
import type { core } from 'zod';
import { isInputValue, withAddressLabel, withoutNil } from '../src/events/field-rules.js';
import { eventEmittedSchema, transactionIncludedSchema } from '../src/events/schemas.js';
import { isRecord } from '../src/internal/guards.js';

// Writes src/events/generated-checks.ts: the zod schemas of src/events/schemas.ts as plain code, which needs neither zod nor eval at run time.
// It knows the constructs that the schemas use and refuses any other, so that nothing is left unchecked in silence.

const helpers = new Map<unknown, string>([
  // What zod does on a copy, the generated code does in place.
  [withAddressLabel, 'fillAddressLabel'],
  [withoutNil, 'dropNil'],
  [isInputValue, 'isInputValue'],
  [isRecord, 'isRecord'],
]);

/** Messages by the name that the generated code gives them, so that none stands there twice. */
const messages = new Map<string, string>();

function said(message: string): string {
  const name = messages.get(message) ?? `M${messages.size}`;
  messages.set(message, name);
  return name;
}

/** Functions, one for each object of the wire format: all have the same parameters, so that their code compresses well. */
const functions = new Map<core.$ZodType, { name: string; text: string }>();

/** The name of the function that checks an object by a schema. */
function functionFor(schema: core.$ZodType): string {
  const known = functions.get(schema);
  if (known !== undefined) return known.name;
  const made = { name: `check${functions.size}`, text: '' };
  functions.set(schema, made);
  const { def } = schema._zod as core.$ZodTypes['_zod'];
  const [object, first] = def.type === 'pipe' ? [def.out, `${transformOf(def)}(value);`] : [schema, ''];
  const { shape } = (object._zod as core.$ZodObject['_zod']).def;
  const fields = Object.entries(shape).map(([key, field]) => emit(field as core.$ZodType, `value.${key}`, key));
  made.text = `function ${made.name}(value: Record<string, unknown>, issues: EventIssue[]): void { ${[first, ...fields].join('\n')} }`;
  return made.name;
}

function transformOf(def: core.$ZodPipeDef): string {
  const first = def.in._zod as core.$ZodTypes['_zod'];
  if (first.def.type !== 'transform') throw new Error('generate-checks: only a transform may stand before a schema');
  return helper(first.def.transform);
}

/** Statements that report what is wrong with the value that an expression names, found under `key`. */
function emit(schema: core.$ZodType, value: string, key: string): string {
  const { def } = schema._zod as core.$ZodTypes['_zod'];
  switch (def.type) {
    case 'optional':
      return `if (${value} !== undefined) { ${emit(def.innerType, value, key)} }`;
    case 'catch': {
      // What cannot be read is undefined, without an issue.
      const nullish = (def.innerType._zod as core.$ZodOptional['_zod']).def.innerType;
      const inner = (nullish._zod as core.$ZodNullable['_zod']).def.innerType;
      return `if (${value} != null && !(${testOf(inner, value)[0]})) ${value} = undefined;`;
    }
    case 'array':
      return `withinAll(${functionFor(def.element)}, ${value}, issues, '${key}');`;
    case 'pipe':
    case 'object':
      return `within(${functionFor(schema)}, ${value}, issues, '${key}');`;
  }
  const [test, message] = testOf(schema, value);
  return `if (!(${test})) fail(issues, ${said(message)}, '${key}');`;
}

/** An expression that is true for what a schema takes, and what it takes. */
function testOf(schema: core.$ZodType, value: string): [test: string, message: string] {
  const { def } = schema._zod as core.$ZodTypes['_zod'];
  const checks = 'checks' in def ? (def.checks ?? []).map((check) => (check as core.$ZodChecks)._zod.def) : [];
  switch (def.type) {
    case 'string': {
      const [min, ...others] = checks;
      if (min === undefined) return [`typeof ${value} === 'string'`, 'expected a string'];
      if (min.check !== 'min_length' || min.minimum !== 1 || others.length > 0) break;
      return [`typeof ${value} === 'string' && ${value} !== ''`, 'expected a string that is not empty'];
    }
    case 'boolean':
      return [`typeof ${value} === 'boolean'`, 'expected true or false'];
    case 'number':
      if (checks.map(({ check }) => check).join() !== 'number_format,greater_than') break;
      return [`isPosition(${value})`, 'expected a whole number from 0 up'];
    case 'literal':
      return [`${value} === ${JSON.stringify(def.values[0])}`, `expected ${JSON.stringify(def.values[0])}`];
    case 'custom':
      return [`${helper(def.fn)}(${value})`, String(schema._zod.def.error?.({} as never))];
    case 'pipe':
    case 'object':
      return [`passes(${functionFor(schema)}, ${value})`, ''];
  }
  throw new Error(
    `generate-checks: write the case for ${def.type} ${JSON.stringify(checks)} before you use it in a schema`,
  );
}

function helper(fn: unknown): string {
  const name = helpers.get(fn);
  if (name === undefined)
    throw new Error('generate-checks: put that function into field-rules.ts and name it in helpers');
  return name;
}

/** The text of src/events/generated-checks.ts, not yet formatted. */
export function generateChecks(): string {
  messages.clear();
  functions.clear();
  const kinds = { EventEmitted: eventEmittedSchema, TransactionIncluded: transactionIncludedSchema };
  // How deep an event nests is looked at apart, in nesting.ts: it is all that stands before an event's schema.
  const exported = Object.entries(kinds).map(
    ([
      kind,
      { def },
    ]) => `/** Adds to \`issues\` what keeps a value from being of the kind ${kind}; fills in each \`addressLabel\`. */
    export function check${kind}(value: unknown, issues: EventIssue[]): void { run(${functionFor(def.out)}, value, issues); }`,
  );
  const [notAnObject, notAnArray] = [said('expected an object'), said('expected an array')];
  return `// Generated from schemas.ts by \`npm run generate\`: edit that file, not this one.
    import type { EventIssue } from '../errors.js';
    import { isRecord } from '../internal/guards.js';
    import { dropNil, fillAddressLabel, isInputValue, isPosition } from './field-rules.js';
    ${[...messages].map(([message, name]) => `const ${name} = ${JSON.stringify(message)};`).join('\n')}
    /** So that issues take less memory than the items that they are about. */
    const MOST_ISSUES = 10;
    type Check = (value: Record<string, unknown>, issues: EventIssue[]) => void;
    function fail(issues: EventIssue[], message: string, ...path: string[]): void {
      if (issues.length < MOST_ISSUES) issues.push({ path, message });
    }
    function run(check: Check, value: unknown, issues: EventIssue[]): void {
      if (isRecord(value)) check(value, issues);
      else fail(issues, ${notAnObject});
    }
    function within(check: Check, value: unknown, issues: EventIssue[], key: string | number): void {
      const before = issues.length;
      run(check, value, issues);
      prefix(issues, before, key);
    }
    function withinAll(check: Check, values: unknown, issues: EventIssue[], key: string): void {
      const before = issues.length;
      if (!Array.isArray(values)) fail(issues, ${notAnArray});
      else for (let index = 0; index < values.length && issues.length < MOST_ISSUES; index++) within(check, values[index], issues, index);
      prefix(issues, before, key);
    }
    function passes(check: Check, value: unknown): boolean {
      const issues: EventIssue[] = [];
      run(check, value, issues);
      return issues.length === 0;
    }
    /** Paths are put together only when there is something to say. */
    function prefix(issues: EventIssue[], from: number, key: string | number): void {
      for (let at = from; at < issues.length; at++) {
        const { path, message } = issues[at] as EventIssue;
        // An array that grows takes three times the memory.
        issues[at] = { path: [key, ...path], message };
      }
    }
    ${exported.join('\n')}
    ${[...functions.values()].map(({ text }) => text).join('\n')}`;
}

if (process.argv[1] === import.meta.filename) {
  const { execFileSync } = await import('node:child_process');
  const file = new URL('../src/events/generated-checks.ts', import.meta.url);
  writeFileSync(file, generateChecks());
  execFileSync('npx', ['biome', 'check', '--write', file.pathname], { stdio: 'inherit' });
  process.stdout.write(`${readFileSync(file, 'utf8').split('\n').length} lines\n`);
}
