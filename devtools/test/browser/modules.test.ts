import { describe, expect, it } from 'vitest';
import { serverSentEvents } from '../../src/page/browser/sse.js';

describe('modules of the page', () => {
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
