import { expect, it } from 'vitest';
import { curlOf } from '../../../src/page/browser/detail/curl.js';

it('sends bytes that no command line holds through base64, and leaves out what curl adds itself', () => {
  const headers = [
    ['Host', 'a'],
    ['X-Odd', ''],
    ['x-a', "it's"],
    ['x-b', '\u001b[31m'],
  ] as const;
  const detail = { headers, bodyBase64: btoa('\u0000\u00ff') };
  expect(curlOf(detail, 'http://h/', "[\n'")).toBe(
    "curl -g -i -X POST \\\n  -H 'X-Odd;' \\\n  -H 'x-a: it'\\''s' \\\n  --data-binary '[\n'\\''' \\\n  'http://h/'",
  );
  const bytes = curlOf(detail, 'http://h/', '\u001b[201~; rm -rf ~');
  expect(bytes).toMatch(/^base64 -d <<'BODY' \| curl -g -i -X POST [\s\S]*--data-binary @-[\s\S]*\nAP8=\nBODY\n$/);
  expect(bytes).not.toContain('\u001b');
});
