const JSON_NUMBER = 'The text is always one whole number: a token that JSON.parse accepted, or String() of a double.';
const INFINITY =
  'Used for Infinity alone, which has no digits: its form may be any text that no number that overflows has.';
const SPEED = 'Saves a call for speed: what is then called gives the same.';
const NO_LOAD =
  'Killed in truth: the import throws, so that no test file loads, but the runner counts failing tests alone.';

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
    'The loop over keys visits the items of an array too, more slowly.': ['if (false) {'],
    [SPEED]: ['if (true && !everyLeaf(child, passes, levels - 1)) return false;'],
  },
  'src/events/parse-delivery.ts': {
    [NO_LOAD]: ['const utf8 = /* @__PURE__ */ new TextDecoder("", { fatal: true, ignoreBOM: true });'],
  },
};
