import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describePage } from './suite.js';

// biome-ignore lint/suspicious/noExplicitAny: the page's modules are JavaScript.
type Module = Record<string, any>;

/** A module of the page, as the browser has it. The import is a text, as vitest would put another in its place. */
const moduleOf = (page: Page, name: string) => page.evaluateHandle<Module>(`import('/${name}')`);

describePage('modules of the page', (ground) => {
  it('curl sends bytes that no command line holds through base64, and leaves out what curl adds itself', async () => {
    const { page } = await ground.open();
    const [text, bytes] = await page.evaluate(
      ({ curlOf }) => {
        const headers = [
          ['Host', 'a'],
          ['X-Odd', ''],
          ['x-a', "it's"],
        ];
        const detail = { headers, bodyBase64: btoa('\u0000\u00ff') };
        return [curlOf(detail, 'http://h/', "[\n'"), curlOf(detail, 'http://h/', '\u001b[201~; rm -rf ~')];
      },
      await moduleOf(page, 'curl.js'),
    );
    expect(text).toBe(
      "curl -g -i -X POST \\\n  -H 'X-Odd;' \\\n  -H 'x-a: it'\\''s' \\\n  --data-binary '[\n'\\''' \\\n  'http://h/'",
    );
    expect(bytes).toMatch(/^base64 -d <<'BODY' \| curl -g -i -X POST [\s\S]*--data-binary @-[\s\S]*\nAP8=\nBODY\n$/);
    expect(bytes).not.toContain('\u001b');
  });

  it('indenting keeps every token as it is, whatever the text', async () => {
    const { page } = await ground.open();
    const texts = ['{"__proto__":1e400,"a":[],"b":{ }}', '["\\"]{,",-0.0 ,\ttrue]', '{"a":', ']]]', '"open', ''];
    const results: string[] = await page.evaluate(([module, all]) => all.map((text: string) => module.pretty(text)), [
      await moduleOf(page, 'pretty.js'),
      texts,
    ] as const);
    expect(results[0]).toBe('{\n  "__proto__": 1e400,\n  "a": [],\n  "b": {}\n}');
    const bare = (text: string) => text.replace(/\s+/g, '');
    expect(results.map(bare)).toEqual(texts.map(bare));
  });

  it('reads server-sent events however they are cut into pieces', async () => {
    const { page } = await ground.open();
    const events = await page.evaluate(
      async ({ serverSentEvents }) => {
        const bytes = new TextEncoder().encode(
          ': alive\n\nevent: a\r\ndata: {"é":1}\r\n\r\ndata:x\ndata: y\n\nevent: cut\ndata: off',
        );
        const all: unknown[][] = [];
        for (const size of [1, 2, 7, 1000]) {
          const body = new ReadableStream({
            start(controller) {
              for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size));
              controller.close();
            },
          });
          const got: unknown[] = [];
          for await (const event of serverSentEvents(body, () => {})) got.push(event);
          all.push(got);
        }
        return all;
      },
      await moduleOf(page, 'sse.js'),
    );
    const expected = [
      { event: 'a', data: '{"é":1}' },
      { event: 'message', data: 'x\ny' },
    ];
    expect(events).toEqual([expected, expected, expected, expected]);
  });
});
