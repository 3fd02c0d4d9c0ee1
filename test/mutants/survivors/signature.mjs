const ASCII = 'UTF-8 and latin1 write ASCII alike, and equalHex is given 64 ASCII characters.';

/** Mutants that change nothing, or nothing that can be seen. */
export const survivors = [
  { file: 'src/runtime/hmac-node.ts', to: `left.write(a, "");`, why: ASCII },
  { file: 'src/runtime/hmac-node.ts', to: `right.write(b, "");`, why: ASCII },
  {
    file: 'src/runtime/hmac-pure.ts',
    to: 'for (let i = 0; i <= 64; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i);',
    why: 'Past the end of both strings, charCodeAt gives NaN twice: NaN ^ NaN is 0.',
  },
  {
    file: 'src/signature/verify-signature.ts',
    to: 'if (!body.length) return false;',
    why: 'Reading the length of undefined throws, which the catch below turns into false too.',
  },
];
