const CACHE = 'The cache decides how often an address is hashed and how much is kept, never the result.';
const PAST = 'Past the last digit nothing is read or written: a typed array ignores the write.';
const WHOLE = 'The first element is the whole match, which nothing reads.';
const SHORTCUT = 'A shortcut: without it the same is found, at a greater cost.';
const COMPILER = 'It is never undefined there, which only the compiler does not know.';

/** Mutants that change nothing, or nothing that can be seen. */
export const survivors = [
  {
    file: 'src/evm/elementary-codecs.ts',
    to: 'const utf8 = new TextDecoder("", { ignoreBOM: true });',
    why: 'Runs once, when the module is loaded, which is before the mutants of this room are switched on. It would throw.',
  },
  { file: 'src/evm/checksum.ts', to: 'const known = young.get(digits) && old.get(digits);', why: CACHE },
  { file: 'src/evm/checksum.ts', to: 'if (true) {', why: CACHE },
  { file: 'src/evm/checksum.ts', to: 'if (false) {', why: CACHE },
  { file: 'src/evm/checksum.ts', to: 'if (known === undefined && !young.has(digits)) {', why: CACHE },
  { file: 'src/evm/checksum.ts', to: 'if (false || !young.has(digits)) {', why: CACHE },
  { file: 'src/evm/checksum.ts', to: 'if (known !== undefined || !young.has(digits)) {', why: CACHE },
  { file: 'src/evm/checksum.ts', to: 'if (known === undefined || young.has(digits)) {', why: CACHE },
  { file: 'src/evm/checksum.ts', to: 'if (known === undefined || !young.has(digits)) {}', why: CACHE },
  { file: 'src/evm/checksum.ts', to: 'if (true) [old, young] = [young, new Map()];', why: CACHE },
  { file: 'src/evm/checksum.ts', to: 'if (false) [old, young] = [young, new Map()];', why: CACHE },
  { file: 'src/evm/checksum.ts', to: 'if (young.size > GENERATION) [old, young] = [young, new Map()];', why: CACHE },
  { file: 'src/evm/checksum.ts', to: 'if (young.size < GENERATION) [old, young] = [young, new Map()];', why: CACHE },
  { file: 'src/evm/checksum.ts', to: 'young.set(address.slice(2).toUpperCase(), address);', why: CACHE },
  { file: 'src/evm/checksum.ts', to: 'young.set(address.toLowerCase(), address);', why: CACHE },
  {
    file: 'src/evm/checksum.ts',
    to: 'for (let at = 0; at <= DIGITS; at++) ascii[at] = digits.charCodeAt(at);',
    why: PAST,
  },
  { file: 'src/evm/checksum.ts', to: 'for (let at = 0; at <= DIGITS; at++) {', why: PAST },
  { file: 'src/evm/choose-event.ts', to: 'return false || signature === canonical(written);', why: SHORTCUT },
  {
    file: 'src/evm/choose-event.ts',
    to: 'const hashed = ((topic && items.byTopic.get(topic)) ?? ["Stryker was here"]).filter(hasItsTopics);',
    why: 'Text has no number of topics, so the filter drops it.',
  },
  {
    file: 'src/evm/codec-of.ts',
    to: 'const ARRAY = /(.*)\\[(\\d*)\\]$/s;',
    why: '`.*` matches from the start anyway. Anchored, text of another form is refused at once.',
  },
  {
    file: 'src/evm/codec-of.ts',
    to: 'const [, element, length] = ARRAY.exec(type) ?? ["Stryker was here"];',
    why: WHOLE,
  },
  {
    file: 'src/evm/codec-of.ts',
    to: 'const [, unsigned, digits] = INTEGER.exec(type) ?? ["Stryker was here"];',
    why: WHOLE,
  },
  { file: 'src/evm/codec-of.ts', to: 'const [, size] = BYTES.exec(type) ?? ["Stryker was here"];', why: WHOLE },
  {
    file: 'src/evm/composite-codecs.ts',
    to: 'if (false) record[name] = values[at];',
    why: 'Defines the same property as the assignment, which is faster.',
  },
  {
    file: 'src/evm/composite-codecs.ts',
    to: 'if (true) value = parseExactJson(wire);',
    why: 'Exact parsing gives the same where JSON.parse does not round, and is slower.',
  },
  {
    file: 'src/evm/contract-event.ts',
    to: 'const own = [items.byTopic.get(log?.topics[0] ?? "Stryker was here!") ?? [], signed(emitted, items)];',
    why: 'Neither text is the hash of a signature.',
  },
  {
    file: 'src/evm/contract-event.ts',
    to: `id: \`\${removed ? 'removed ' : "Stryker was here!"}\${items.all.map(({ signature, topicCount }) => signature + topicCount).sort()}\`,`,
    why: 'Identities are only compared, and this text before those of events that are not removed keeps them apart.',
  },
  {
    file: 'src/evm/decode-event.ts',
    to: 'const word = topics[topic++] ?? "";',
    why: 'Callers give an item that has as many topics as the log.',
  },
  {
    file: 'src/evm/elementary-codecs.ts',
    to: "false || (typeof wire === 'string' && (value as string).toLowerCase() === wire.toLowerCase());",
    why: SHORTCUT,
  },
  {
    file: 'src/evm/elementary-codecs.ts',
    to: 'const isHex = true && BYTES.test(wire) && wire.length % 2 === 0;',
    why: 'A list passes for hex text only with one element, and its length of 1 is odd.',
  },
  {
    file: 'src/evm/elementary-codecs.ts',
    to: "agrees: (value, wire) => false || (typeof wire === 'string' && sameString(value as string, wire)),",
    why: SHORTCUT,
  },
  { file: 'src/evm/hex.ts', to: 'for (let at = 0; at <= bytes.length; at++) {', why: PAST },
  { file: 'src/evm/inputs.ts', to: 'if (false) return inputs;', why: SHORTCUT },
  { file: 'src/evm/inputs.ts', to: 'if (inputs.every(() => undefined)) return inputs;', why: SHORTCUT },
  { file: 'src/evm/inputs.ts', to: 'if (inputs.every(({ name }, at) => false)) return inputs;', why: SHORTCUT },
  {
    file: 'src/evm/inputs.ts',
    to: 'if (inputs.every(({ name }, at) => item.inputs[at].name === name)) return inputs;',
    why: COMPILER,
  },
  { file: 'src/evm/inputs.ts', to: 'if (false) return true;', why: SHORTCUT },
  {
    file: 'src/evm/inputs.ts',
    to: "const written = type.replace(/\\s/g, '');",
    why: 'Spaces are removed one by one instead of together.',
  },
  {
    file: 'src/evm/inputs.ts',
    to: 'if (false) return false;',
    why: 'Longer text is refused below too. The check bounds the work of the regular expression.',
  },
  {
    file: 'src/evm/inputs.ts',
    to: 'const [, components, suffix] = /^tuple(\\(.*\\))?((?:\\[\\d*\\])*)$/s.exec(written) ?? ["Stryker was here"];',
    why: WHOLE,
  },
  {
    file: 'src/evm/inputs.ts',
    to: 'const PLAIN = /[\\w$]+\\((?!.*tuple)[\\w[\\],]*\\)$/;',
    why: 'Text with anything else before the name does not start with the name, which is refused too.',
  },
  {
    file: 'src/evm/inputs.ts',
    to: "if (true && isOther(canonical(signature), item)) differs('signature', 'rawFields.topics');",
    why: SHORTCUT,
  },
  {
    file: 'src/evm/integer-codec.ts',
    to: `const [, sign = "Stryker was here!", whole, fraction = '', exponent = '0'] = (text.length <= LONGEST && NUMBER.exec(text)) || [];`,
    why: 'The first group takes part in every match.',
  },
  {
    file: 'src/evm/integer-codec.ts',
    to: `const [, sign = '', whole, fraction = '', exponent = ""] = (text.length <= LONGEST && NUMBER.exec(text)) || [];`,
    why: "Number('') is 0.",
  },
  {
    file: 'src/evm/integer-codec.ts',
    to: `const [, sign = '', whole, fraction = '', exponent = '0'] = (text.length <= LONGEST && NUMBER.exec(text)) || ["Stryker was here"];`,
    why: WHOLE,
  },
  {
    file: 'src/evm/integer-codec.ts',
    to: 'if (false) return undefined;',
    why: 'The digits become "undefined", which no integer equals.',
  },
  {
    file: 'src/evm/integer-codec.ts',
    to: 'if (false || converted?.digits !== exact.digits) return false;',
    why: 'The text of an integer always is a number.',
  },
  {
    file: 'src/evm/integer-codec.ts',
    to: 'const [, sign, digits] = HEX.exec(wire) ?? ["Stryker was here"];',
    why: WHOLE,
  },
  {
    file: 'src/evm/integer-codec.ts',
    to: 'return false || integerOf(wire) === BigInt(text) || isScaled(text, wire) || isTime(text, wire);',
    why: SHORTCUT,
  },
];
