const CACHE = 'The cache decides how often an address is hashed and how much is kept, never the result.';
const PAST = 'Past the last digit nothing is read or written: a typed array ignores the write.';
const WHOLE = 'The first element is the whole match, which nothing reads.';
const SHORTCUT = 'A shortcut: without it the same is found, at a greater cost.';
const COMPILER = 'It is never undefined there, which only the compiler does not know.';

/** Mutants that change nothing, or nothing that can be seen: by file and reason, the mutated lines. */
export const survivors = {
  'src/evm/elementary-codecs.ts': {
    'Runs once, when the module is loaded, which is before the mutants of this room are switched on. It would throw.': [
      'const utf8 = new TextDecoder("", { ignoreBOM: true });',
    ],
    [SHORTCUT]: [
      "false || (typeof wire === 'string' && (value as string).toLowerCase() === wire.toLowerCase());",
      "agrees: (value, wire) => false || (typeof wire === 'string' && sameString(value as string, wire)),",
    ],
    'A list passes for hex text only with one element, and its length of 1 is odd.': [
      'const isHex = true && BYTES.test(wire) && wire.length % 2 === 0;',
    ],
  },
  'src/evm/checksum.ts': {
    [CACHE]: [
      'const known = young.get(digits) && old.get(digits);',
      'if (true) {',
      'if (false) {',
      'if (known === undefined && !young.has(digits)) {',
      'if (false || !young.has(digits)) {',
      'if (known !== undefined || !young.has(digits)) {',
      'if (known === undefined || young.has(digits)) {',
      'if (known === undefined || !young.has(digits)) {}',
      'if (true) [old, young] = [young, new Map()];',
      'if (false) [old, young] = [young, new Map()];',
      'if (young.size > GENERATION) [old, young] = [young, new Map()];',
      'if (young.size < GENERATION) [old, young] = [young, new Map()];',
      'young.set(address.slice(2).toUpperCase(), address);',
      'young.set(address.toLowerCase(), address);',
    ],
    [PAST]: [
      'for (let at = 0; at <= DIGITS; at++) ascii[at] = digits.charCodeAt(at);',
      'for (let at = 0; at <= DIGITS; at++) {',
    ],
  },
  'src/evm/choose-event.ts': {
    [SHORTCUT]: ['return false || signature === canonical(written);'],
    'Text has no number of topics, so the filter drops it.': [
      'const hashed = ((topic && items.byTopic.get(topic)) ?? ["Stryker was here"]).filter(hasItsTopics);',
    ],
  },
  'src/evm/codec-of.ts': {
    '`.*` matches from the start anyway. Anchored, text of another form is refused at once.': [
      String.raw`const ARRAY = /(.*)\[(\d*)\]$/s;`,
    ],
    [WHOLE]: [
      'const [, element, length] = ARRAY.exec(type) ?? ["Stryker was here"];',
      'const [, unsigned, digits] = INTEGER.exec(type) ?? ["Stryker was here"];',
      'const [, size] = BYTES.exec(type) ?? ["Stryker was here"];',
    ],
  },
  'src/evm/composite-codecs.ts': {
    'Defines the same property as the assignment, which is faster.': ['if (false) record[name] = values[at];'],
    'Exact parsing gives the same where JSON.parse does not round, and is slower.': [
      'if (true) value = parseExactJson(wire);',
    ],
  },
  'src/evm/contract-event.ts': {
    'Neither text is the hash of a signature.': [
      'const own = [items.byTopic.get(log?.topics[0] ?? "Stryker was here!") ?? [], signed(emitted, items)];',
    ],
    'Identities are only compared, and this text before those of events that are not removed keeps them apart.': [
      `id: \`\${removed ? 'removed ' : "Stryker was here!"}\${items.all.map(({ signature, topicCount }) => signature + topicCount).sort()}\`,`,
    ],
  },
  'src/evm/decode-event.ts': {
    'Callers give an item that has as many topics as the log.': ['const word = topics[topic++] ?? "";'],
  },
  'src/evm/hex.ts': {
    [PAST]: ['for (let at = 0; at <= bytes.length; at++) {'],
    [SHORTCUT]: ['if (false) return undefined;'],
  },
  'src/evm/inputs.ts': {
    [SHORTCUT]: [
      'if (false) return inputs;',
      'if (inputs.every(() => undefined)) return inputs;',
      'if (inputs.every(({ name }, at) => false)) return inputs;',
      'if (false) return true;',
      "if (true && isOther(canonical(signature), item)) differs('signature', 'rawFields.topics');",
    ],
    [COMPILER]: ['if (inputs.every(({ name }, at) => item.inputs[at].name === name)) return inputs;'],
    'Spaces are removed one by one instead of together.': [String.raw`const written = type.replace(/\s/g, '');`],
    'Longer text is refused below too. The check bounds the work of the regular expression.': [
      'if (false) return false;',
    ],
    [WHOLE]: [
      String.raw`const [, components, suffix] = /^tuple(\(.*\))?((?:\[\d*\])*)$/s.exec(written) ?? ["Stryker was here"];`,
    ],
    'Text with anything else before the name does not start with the name, which is refused too.': [
      String.raw`const PLAIN = /[\w$]+\((?!.*tuple)[\w[\],]*\)$/;`,
    ],
  },
  'src/evm/integer-codec.ts': {
    'The first group takes part in every match.': [
      `const [, sign = "Stryker was here!", whole, fraction = '', exponent = '0'] = (text.length <= LONGEST && NUMBER.exec(text)) || [];`,
    ],
    "Number('') is 0.": [
      `const [, sign = '', whole, fraction = '', exponent = ""] = (text.length <= LONGEST && NUMBER.exec(text)) || [];`,
    ],
    [WHOLE]: [
      `const [, sign = '', whole, fraction = '', exponent = '0'] = (text.length <= LONGEST && NUMBER.exec(text)) || ["Stryker was here"];`,
      'const [, sign, digits] = HEX.exec(wire) ?? ["Stryker was here"];',
    ],
    'The digits become "undefined", which no integer equals.': ['if (false) return undefined;'],
    'The text of an integer always is a number.': ['if (false || converted?.digits !== exact.digits) return false;'],
    [SHORTCUT]: ['return false || integerOf(wire) === BigInt(text) || isScaled(text, wire) || isTime(text, wire);'],
  },
};
