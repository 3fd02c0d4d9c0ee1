const JSON_NUMBER = 'The text is always one whole number: a token that JSON.parse accepted, or String() of a double.';
const INFINITY =
  'Used for Infinity alone, which has no digits: its form may be any text that no number that overflows has.';
const NO_NUMBER_BEFORE = 'Starts at position 0 instead of the first match. No number ends there.';
const SPEED = 'Saves a call for speed: what is then called gives the same.';
const PLAIN = 'Plain events are skipped for speed: all of their numbers are positions, which were checked.';
const NO_LOAD =
  'Killed in truth: the import throws, so that no test file loads, but the runner counts failing tests alone.';
const PAST_END = 'Past the end, charAt gives an empty string, which every string includes: the loop ends there too.';

/** Mutants that change nothing, or nothing that can be seen: by file and reason, the mutated lines. */
export const survivors = {
  'src/events/exact-json.ts': {
    [JSON_NUMBER]: [
      String.raw`const NUMBER = /(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;`,
      String.raw`const NUMBER = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?/;`,
    ],
    [INFINITY]: [
      `const [, sign = "Stryker was here!", whole = '', fraction = '', exponent = 0] = NUMBER.exec(number) ?? [];`,
      `const [, sign = '', whole = "Stryker was here!", fraction = '', exponent = 0] = NUMBER.exec(number) ?? [];`,
      `const [, sign = '', whole = '', fraction = '', exponent = 0] = NUMBER.exec(number) ?? ["Stryker was here"];`,
    ],
    [NO_NUMBER_BEFORE]: [
      `for (let at = text.indexOf(""); at !== -1; at = text.indexOf('.', at + 1)) {`,
      `for (let at = text.indexOf(""); at !== -1; at = text.indexOf('-', at + 1)) {`,
    ],
    [PAST_END]: [
      String.raw`else while (true && !',]} \t\r\n'.includes(text.charAt(at))) at++;`,
      String.raw`else while (at <= text.length && !',]} \t\r\n'.includes(text.charAt(at))) at++;`,
    ],
  },
  'src/events/field-rules.ts': {
    [SPEED]: [
      'if (keys++ === MANY_KEYS || (true && mayHoldRounded(child, depth + 1))) return true;',
      'if (keys++ === MANY_KEYS || (typeof child !== "" && mayHoldRounded(child, depth + 1))) return true;',
    ],
  },
  'src/events/nesting.ts': {
    'The loop over keys visits the items of an array too, more slowly.': [
      'if (false) return value.some((child) => isTooDeep(child, levels - 1));',
    ],
    [SPEED]: ['if (true && isTooDeep(child, levels - 1)) return true;'],
  },
  'src/events/parse-delivery.ts': {
    [PLAIN]: ['if (false) continue;'],
    [NO_LOAD]: ['const utf8 = /* @__PURE__ */ new TextDecoder("", { fatal: true, ignoreBOM: true });'],
  },
  'src/events/schemas.ts': {
    [NO_LOAD]: [
      'const shallow = () => undefined;',
      'const emittedSchema = z.object({});',
      'const includedSchema = z.object({});',
      'export const webhookEventSchema = shallow().pipe(z.discriminatedUnion("", [emittedSchema, includedSchema]));',
    ],
  },
};
