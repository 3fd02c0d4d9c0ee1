import { readFileSync, writeFileSync } from 'node:fs';
import type { core } from 'zod';
import { eventEmittedSchema, transactionIncludedSchema } from '../src/schema.js';
import { isInputValue, isPayload, withAddressLabel } from '../src/values.js';

// Writes src/checks.ts: the zod schemas of src/schema.ts as plain code, which needs neither zod nor eval at run time.
// It knows the constructs that the schemas use and refuses any other, so that nothing is left unchecked in silence.

const helpers = new Map<unknown, string>([
  // What zod does on a copy, the generated code does in place.
  [withAddressLabel, 'fillAddressLabel'],
  [isInputValue, 'isInputValue'],
  [isPayload, 'isPayload'],
]);

let names = 0;

/** Statements that report what is wrong with the value that the expression `at` names, found under `path`. */
function emit(schema: core.$ZodType, at: string, path: string): string {
  const { def } = schema._zod as core.$ZodTypes['_zod'];
  const unless = (test: string, message: string) =>
    `if (!(${test})) fail(issues, [${path}], ${JSON.stringify(message)});`;
  const checks = 'checks' in def ? (def.checks ?? []).map((check) => (check as core.$ZodChecks)._zod.def) : [];
  switch (def.type) {
    case 'string': {
      const [min, ...others] = checks;
      if (min === undefined) return unless(`typeof ${at} === 'string'`, 'expected a string');
      if (min.check !== 'min_length' || min.minimum !== 1 || others.length > 0) break;
      return unless(`typeof ${at} === 'string' && ${at} !== ''`, 'expected a string that is not empty');
    }
    case 'boolean':
      return unless(`typeof ${at} === 'boolean'`, 'expected true or false');
    case 'number':
      if (checks.map(({ check }) => check).join() !== 'number_format,greater_than') break;
      return unless(`Number.isSafeInteger(${at}) && Number(${at}) >= 0`, 'expected a whole number from 0 up');
    case 'literal':
      return unless(`${at} === ${JSON.stringify(def.values[0])}`, `expected ${JSON.stringify(def.values[0])}`);
    case 'custom': {
      const message = schema._zod.def.error?.({} as never);
      return unless(`${helper(def.fn)}(${at})`, String(message));
    }
    case 'optional': {
      const inner = def.innerType._zod as core.$ZodTypes['_zod'];
      if (inner.def.type === 'nullable') return `if (${at} != null) { ${emit(inner.def.innerType, at, path)} }`;
      return `if (${at} !== undefined) { ${emit(def.innerType, at, path)} }`;
    }
    case 'pipe': {
      const first = def.in._zod as core.$ZodTypes['_zod'];
      if (first.def.type !== 'transform') break;
      const name = `v${++names}`;
      return `const ${name} = ${helper(first.def.transform)}(${at}); ${emit(def.out, name, path)}`;
    }
    case 'array': {
      const [item, index] = [`v${++names}`, `i${names}`];
      return `if (!Array.isArray(${at})) fail(issues, [${path}], 'expected an array'); else for (let ${index} = 0; ${index} < ${at}.length; ${index}++) {
        const ${item}: unknown = ${at}[${index}]; ${emit(def.element, item, `${path}, ${index}`)} }`;
    }
    case 'object': {
      const fields = Object.entries(def.shape).map(([key, field]) => {
        const name = `v${++names}`;
        const inner = path === '' ? JSON.stringify(key) : `${path}, ${JSON.stringify(key)}`;
        return `const ${name} = ${at}.${key}; ${emit(field as core.$ZodType, name, inner)}`;
      });
      return `if (!isRecord(${at})) fail(issues, [${path}], 'expected an object'); else { ${fields.join('\n')} }`;
    }
  }
  throw new Error(
    `generate-checks: write the case for ${def.type} ${JSON.stringify(checks)} before you use it in a schema`,
  );
}

function helper(fn: unknown): string {
  const name = helpers.get(fn);
  if (name === undefined) throw new Error('generate-checks: put that function into values.ts and name it in helpers');
  return name;
}

/** The text of src/checks.ts, not yet formatted. */
export function generateChecks(): string {
  names = 0;
  const kinds = { EventEmitted: eventEmittedSchema, TransactionIncluded: transactionIncludedSchema };
  const functions = Object.entries(kinds).map(
    ([name, schema]) =>
      `/** Adds to \`issues\` what keeps \`event\` from being of the kind ${name}; fills in each \`addressLabel\`. */
      export function check${name}(event: unknown, issues: EventIssue[]): void { ${emit(schema, 'event', '')} }`,
  );
  return `// Generated from schema.ts by \`npm run generate\`: edit that file, not this one.
    import type { EventIssue } from './errors.js';
    import { fillAddressLabel, isInputValue, isPayload, isRecord } from './values.js';
    const MOST_ISSUES = 100;
    function fail(issues: EventIssue[], path: EventIssue['path'], message: string): void {
      if (issues.length < MOST_ISSUES) issues.push({ path, message });
    }
    ${functions.join('\n')}`;
}

if (process.argv[1] === import.meta.filename) {
  const { execFileSync } = await import('node:child_process');
  const file = new URL('../src/checks.ts', import.meta.url);
  writeFileSync(file, generateChecks());
  execFileSync('npx', ['biome', 'check', '--write', file.pathname], { stdio: 'inherit' });
  process.stdout.write(`${readFileSync(file, 'utf8').split('\n').length} lines\n`);
}
