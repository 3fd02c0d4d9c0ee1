const JSON_NUMBER = 'The text is always one whole number: a token that JSON.parse accepted, or String() of a double.';
const INFINITY =
  'Used for Infinity alone, which has no digits: its form may be any text that no number that overflows has.';
const NO_NUMBER_BEFORE = 'Starts at position 0 instead of the first match. No number ends there.';
const SPEED = 'Saves a call for speed: what is then called gives the same.';
const PLAIN = 'Plain events are skipped for speed: all of their numbers are positions, which were checked.';
const NO_LOAD =
  'Killed in truth: the import throws, so that no test file loads, but the runner counts failing tests alone.';
const PAST_END = 'Past the end, charAt gives an empty string, which every string includes: the loop ends there too.';

const [exactJson, fieldRules, nesting, parseDelivery, schemas] = [
  'src/events/exact-json.ts',
  'src/events/field-rules.ts',
  'src/events/nesting.ts',
  'src/events/parse-delivery.ts',
  'src/events/schemas.ts',
];

/** Mutants that change nothing, or nothing that can be seen. */
export const survivors = [
  {
    file: exactJson,
    to: String.raw`const NUMBER = /(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;`,
    why: JSON_NUMBER,
  },
  {
    file: exactJson,
    to: String.raw`const NUMBER = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?/;`,
    why: JSON_NUMBER,
  },
  {
    file: exactJson,
    to: `const [, sign = "Stryker was here!", whole = '', fraction = '', exponent = 0] = NUMBER.exec(number) ?? [];`,
    why: INFINITY,
  },
  {
    file: exactJson,
    to: `const [, sign = '', whole = "Stryker was here!", fraction = '', exponent = 0] = NUMBER.exec(number) ?? [];`,
    why: INFINITY,
  },
  {
    file: exactJson,
    to: `const [, sign = '', whole = '', fraction = '', exponent = 0] = NUMBER.exec(number) ?? ["Stryker was here"];`,
    why: INFINITY,
  },
  {
    file: exactJson,
    to: `for (let at = text.indexOf(""); at !== -1; at = text.indexOf('.', at + 1)) {`,
    why: NO_NUMBER_BEFORE,
  },
  {
    file: exactJson,
    to: `for (let at = text.indexOf(""); at !== -1; at = text.indexOf('-', at + 1)) {`,
    why: NO_NUMBER_BEFORE,
  },
  {
    file: exactJson,
    to: String.raw`while (true && !',]} \t\r\n'.includes(text.charAt(at))) at++;`,
    why: PAST_END,
  },
  {
    file: exactJson,
    to: String.raw`while (at <= text.length && !',]} \t\r\n'.includes(text.charAt(at))) at++;`,
    why: PAST_END,
  },
  {
    file: fieldRules,
    to: 'if (keys++ === MANY_KEYS || (true && mayHoldRounded(child, depth + 1))) return true;',
    why: SPEED,
  },
  {
    file: fieldRules,
    to: 'if (keys++ === MANY_KEYS || (typeof child !== "" && mayHoldRounded(child, depth + 1))) return true;',
    why: SPEED,
  },
  {
    file: nesting,
    to: 'if (false) return value.some((child) => isTooDeep(child, levels - 1));',
    why: 'The loop over keys visits the items of an array too, more slowly.',
  },
  {
    file: nesting,
    to: 'if (true && isTooDeep(child, levels - 1)) return true;',
    why: SPEED,
  },
  { file: parseDelivery, to: 'if (false) continue;', why: PLAIN },
  {
    file: parseDelivery,
    to: 'const utf8 = /* @__PURE__ */ new TextDecoder("", { fatal: true, ignoreBOM: true });',
    why: NO_LOAD,
  },
  { file: schemas, to: 'const shallow = () => undefined;', why: NO_LOAD },
  { file: schemas, to: 'const emittedSchema = z.object({});', why: NO_LOAD },
  { file: schemas, to: 'const includedSchema = z.object({});', why: NO_LOAD },
  {
    file: schemas,
    to: `export const webhookEventSchema = shallow().pipe(z.discriminatedUnion("", [emittedSchema, includedSchema]));`,
    why: NO_LOAD,
  },
];
