/** Mutants that change nothing, or nothing that can be seen: by file and reason, the mutated lines. */
export const survivors = {
  'src/runtime/hmac-node.ts': {
    'A key that is imported again signs the same.': [
      "if (true) last = { secret, key: createSecretKey(secret, 'utf8') };",
    ],
  },
  'src/runtime/hmac-pure.ts': {
    'Nothing exports the key.': [
      "const key = await subtle.importKey('raw', utf8.encode(each), algorithm, true, ['sign']);",
    ],
    'Past the end of both strings, charCodeAt gives NaN twice: NaN ^ NaN is 0.': [
      'for (let i = 0; i <= 64; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i);',
    ],
  },
  'src/signature/verify-signature.ts': {
    'Reading the length of undefined throws, which the catch below turns into false too.': [
      'if (!body.length) return false;',
    ],
    'A function that ends returns undefined.': ['} catch {}'],
  },
};
