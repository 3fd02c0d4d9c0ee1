import { PassThrough, type Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, expect, it, vi } from 'vitest';
import type { LambdaEvent } from '../../src/adapters/lambda.js';
import { createTestDelivery, sampleEventEmitted } from '../../src/testing/index.js';

const SECRET = 'whsec-test';
const PRELUDE_END = '\0'.repeat(8);

type Handler = (event: LambdaEvent, stream: Writable, context: object) => Promise<void>;

/** As Lambda's runtime does it: status and headers leave with the first write, and never if there is none. */
const awslambda = {
  streamifyResponse: (handler: Handler) => handler,
  HttpResponseStream: {
    from(stream: Writable, prelude: object) {
      const write = stream.write.bind(stream) as (chunk: unknown) => boolean;
      stream.write = ((chunk: unknown) => {
        stream.write = write;
        write(JSON.stringify(prelude) + PRELUDE_END);
        return chunk === '' || write(chunk);
      }) as never;
      return stream;
    },
  },
};

/** Invokes the example's function, and returns what it streamed. */
async function invoke(secret: string): Promise<{ prelude: unknown; body: string | undefined }> {
  vi.stubGlobal('awslambda', awslambda);
  vi.stubEnv('WEBHOOK_SECRET', SECRET);
  const path = '../../examples/serverless/lambda/streaming.js';
  const { handler } = (await import(path)) as { handler: Handler };
  const { rawBody, headers } = createTestDelivery([sampleEventEmitted()], { secret });
  const stream = new PassThrough();
  const event = { requestContext: { http: { method: 'POST' } }, rawPath: '/', headers, body: String(rawBody) };
  await handler(event, stream, { getRemainingTimeInMillis: () => 10_000 });
  const [prelude = '', body] = (await text(stream)).split(PRELUDE_END);
  return { prelude: JSON.parse(prelude), body };
}

afterEach(() => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

it('streams the status of a delivery that takes effect, and of one that is refused', async () => {
  const log = vi.spyOn(console, 'log').mockReturnValue();
  expect(await invoke(SECRET)).toEqual({ prelude: { statusCode: 200, headers: {} }, body: '' });
  expect(log).toHaveBeenCalledOnce();
  expect(await invoke('guessed')).toMatchObject({ prelude: { statusCode: 403 }, body: '' });
  expect(log).toHaveBeenCalledOnce();
});
