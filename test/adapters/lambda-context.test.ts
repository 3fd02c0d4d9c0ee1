import { describe, expect, it } from 'vitest';
import { type LambdaContext, type LambdaEvent, lambdaHandler } from '../../src/adapters/lambda.js';
import type { OnEventOptions } from '../../src/index.js';
import { genuine, headersOf, now, SECRET } from '../matrix/deliveries.js';

function event(): LambdaEvent {
  const delivery = genuine();
  return {
    httpMethod: 'POST',
    headers: Object.fromEntries(headersOf(delivery)),
    body: delivery.body.toString(),
    isBase64Encoded: false,
  };
}

function start(options: Partial<OnEventOptions> = {}) {
  const codes: string[] = [];
  const handler = lambdaHandler({
    secret: SECRET,
    now,
    store: false,
    onEvent: () => {},
    onError: ({ code }) => void codes.push(code),
    ...options,
  });
  return { codes, handle: (context: unknown) => handler(event(), context as LambdaContext) };
}

describe('lambdaHandler with a context', () => {
  it.each<[string, unknown, number[]]>([
    ['Lambda’s context', { getRemainingTimeInMillis: () => 20_000 }, [19_000, 19_500]],
    ['none', undefined, [29_000, 30_000]],
    ['null', null, [29_000, 30_000]],
    ['one of an emulator, without the function', {}, [29_000, 30_000]],
    ['one with something else in its place', { getRemainingTimeInMillis: 20_000 }, [29_000, 30_000]],
  ])('limits its handlers by the context: %s', async (_what, context, [least = 0, most = 0]) => {
    let ms = 0;
    const { handle } = start({
      onEvent: (_event, { deadline }) => {
        ms = deadline - Date.now();
      },
    });
    expect(await handle(context)).toMatchObject({ statusCode: 200 });
    expect(ms).toBeGreaterThan(least);
    expect(ms).toBeLessThanOrEqual(most);
  });

  it('calls the function as a method of its context', async () => {
    class Context {
      readonly #ms = -1;
      getRemainingTimeInMillis = function (this: Context) {
        return this.#ms;
      };
    }
    const seen: string[] = [];
    const { handle, codes } = start({ onEvent: ({ id }) => void seen.push(id) });
    expect(await handle(new Context())).toMatchObject({ statusCode: 503 });
    expect([seen, codes]).toEqual([[], ['ERR_WEBHOOK_OUT_OF_TIME']]);
  });
});
