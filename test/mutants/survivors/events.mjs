const SPEED = 'Saves work: what is done instead gives the same.';
const MEMORY = 'Decides when parts are joined, which takes memory, and gives the same text.';
const UNSEEN = 'A transaction that does not pass is left out, without its issues.';
const NO_LOAD =
  'Killed in truth: the import throws, so that no test file loads, but the runner counts failing tests only.';

/** Mutants that change nothing, or nothing that can be seen: by file and reason, the mutated lines. */
export const survivors = {
  'src/events/exact-json.ts': {
    'The loop over keys visits the items of an array too, more slowly.': [
      'if (false) {',
      'if (Array.isArray(value)) {}',
    ],
    [SPEED]: [
      'return false || (number.length <= LONGEST && quantityOf(number) === quantityOf(String(value)));',
      `if (true && !everyLeaf(child, passes, levels - 1)) return false;`,
      `if (typeof child !== "" && !everyLeaf(child, passes, levels - 1)) return false;`,
      'return true && FRACTION.test(text);',
      'if ((true) && isFraction(at - 1)) return true;',
      '} else if (true) {',
      "} else if (char === '-' || (char >= '0' || char <= '9')) {",
      "} else if (char === '-' || (true && char <= '9')) {",
      `} else if (char === '-' || (char >= "" && char <= '9')) {`,
      "} else if (char === '-' || (char >= '0' && true)) {",
    ],
    'The position before the first one has no digit before it.': [
      `for (let at = text.indexOf(""); at !== -1; at = text.indexOf('.', at + 1)) if (isFraction(at)) return true;`,
      `for (let at = text.indexOf(""); at !== -1; at = text.indexOf('-', at + 1)) {`,
    ],
    [MEMORY]: [
      "if (true) exact += parts.splice(0).join('');",
      "if (false) exact += parts.splice(0).join('');",
      "if (parts.length >= 1000) exact += parts.splice(0).join('');",
      "if (parts.length <= 1000) exact += parts.splice(0).join('');",
    ],
    'No character is at the end.': [
      'for (let at = 0; at <= text.length; at++) {',
      `while (at <= text.length && text[at] !== '"') at += text[at] === '\\\\' ? 2 : 1;`,
    ],
  },
  'src/events/check-event.ts': {
    [UNSEEN]: [
      'found.text(transaction.txHash, "");',
      'found.text(transaction.blockHash, "");',
      'found.position(transaction.blockNumber, "");',
    ],
  },
  'src/events/parse-delivery.ts': {
    [SPEED]: ['if (true) text = exactText(text);', 'if (false) return values.map(checkItem);'],
    'Seen only in a body of more than a mebibyte, whose tests take too long with mutants.': [
      'if (false) text = exactText(text);',
    ],
    [NO_LOAD]: ['const utf8 = /* @__PURE__ */ new TextDecoder("", { fatal: true, ignoreBOM: true });'],
  },
};
