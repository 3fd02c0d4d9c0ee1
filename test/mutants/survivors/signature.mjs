/** Mutants that change nothing, or nothing that can be seen: by file and reason, the mutated lines. */
export const survivors = {
  'src/runtime/hmac-pure.ts': {
    'Past the end of both strings, charCodeAt gives NaN twice: NaN ^ NaN is 0.': [
      'for (let i = 0; i <= 64; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i);',
    ],
  },
  'src/signature/verify-signature.ts': {
    'Reading the length of undefined throws, which the catch below turns into false too.': [
      'if (!body.length) return false;',
    ],
  },
};
