import { describe, expect, it } from 'vitest';
import { curlOf, testOf } from '../../../src/page/browser/detail/copies.js';

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

describe('a test of a delivery', () => {
  const URL = 'http://127.0.0.1:3000/webhooks';
  const detail = { id: '12', verdict: 'refused', status: 403 } as const;
  /** What the code gives to createTestDelivery and expect. */
  async function run(code: string): Promise<unknown[]> {
    const body = code
      .replace(/^import .*$/gm, '')
      .replace(/^it\(("(?:[^"\\]|\\.)*"), /m, 'const [title, test] = [$1, ');
    const given: unknown[] = [];
    const createTestDelivery = (events: unknown, options: object) => {
      given.push(events, options);
      return { send: async (url: string) => given.push(url) && { status: 0 } };
    };
    const expectStub = () => ({ toBe: (status: number) => given.push(status) });
    const source = `${body.replace(/\}\);\s*$/, '}];')}; await test(); return title;`;
    const AsyncFunction = (async () => {}).constructor as FunctionConstructor;
    given.push(await new AsyncFunction('createTestDelivery', 'expect', source)(createTestDelivery, expectStub));
    return given;
  }

  it('signs its events anew and expects that they are accepted', async () => {
    const text = '[{"__proto__":1,"text":"\\u2028 \u202e `tick` $ \\"quoted\\" \'"}]';
    const code = testOf(detail, URL, text);
    expect(code).not.toMatch(/\u202e/);
    expect(await run(code ?? '')).toEqual([JSON.parse(text), { secret: '' }, URL, 200, 'answers delivery 12 with 200']);
  });

  it('does not exist where the body is not a JSON array', () => {
    for (const text of [undefined, '', '{}', '[', '1']) expect(testOf(detail, URL, text)).toBeUndefined();
  });
});
