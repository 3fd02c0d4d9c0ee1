import { describe, expect, it } from 'vitest';
import { curlOf } from '../../src/page/browser/curl.js';
import { pretty } from '../../src/page/browser/pretty.js';
import { serverSentEvents } from '../../src/page/browser/sse.js';
import type { Detail } from '../../src/page/browser/types.js';

describe('modules of the page', () => {
  it('curl sends bytes that no command line holds through base64, and leaves out what curl adds itself', () => {
    const headers = [
      ['Host', 'a'],
      ['X-Odd', ''],
      ['x-a', "it's"],
    ] as const;
    const detail = { headers, bodyBase64: btoa('\u0000\u00ff') } as unknown as Detail;
    const [text, bytes] = ["[\n'", '\u001b[201~; rm -rf ~'].map((body) => curlOf(detail, 'http://h/', body));
    expect(text).toBe(
      "curl -g -i -X POST \\\n  -H 'X-Odd;' \\\n  -H 'x-a: it'\\''s' \\\n  --data-binary '[\n'\\''' \\\n  'http://h/'",
    );
    expect(bytes).toMatch(/^base64 -d <<'BODY' \| curl -g -i -X POST [\s\S]*--data-binary @-[\s\S]*\nAP8=\nBODY\n$/);
    expect(bytes).not.toContain('\u001b');
  });

  it('indenting keeps every token as it is, whatever the text', () => {
    const texts = ['{"__proto__":1e400,"a":[],"b":{ }}', '["\\"]{,",-0.0 ,\ttrue]', '{"a":', ']]]', '"open', ''];
    const results = texts.map(pretty);
    expect(results[0]).toBe('{\n  "__proto__": 1e400,\n  "a": [],\n  "b": {}\n}');
    const bare = (text: string) => text.replace(/\s+/g, '');
    expect(results.map(bare)).toEqual(texts.map(bare));
  });

  it.each([1, 2, 7, 1000])('reads server-sent events in pieces of %i bytes', async (size) => {
    const bytes = new TextEncoder().encode(
      ': alive\n\nevent: a\r\ndata: {"é":1}\r\n\r\ndata:x\ndata: y\n\nevent: cut\ndata: off',
    );
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size));
        controller.close();
      },
    });
    const got: unknown[] = [];
    for await (const event of serverSentEvents(body, () => {})) got.push(event);
    expect(got).toEqual([
      { event: 'a', data: '{"é":1}' },
      { event: 'message', data: 'x\ny' },
    ]);
  });
});
