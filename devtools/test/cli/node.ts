import { serve } from '../servers.js';

type Answer = (params: readonly unknown[]) => unknown;

/** A node whose methods answer as told, and the calls that it got. An answer that is undefined is an error. */
export async function fakeNode(answers: Record<string, Answer>) {
  const calls: { method: string; params: readonly unknown[] }[] = [];
  const url = await serve(async (request, response) => {
    const { id, method, params } = JSON.parse(Buffer.concat(await request.toArray()).toString());
    calls.push({ method, params });
    const result = await answers[method]?.(params);
    const failed = { error: { code: -32000, message: 'execution reverted' } };
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...(result === undefined ? failed : { result }) }));
  });
  return { url, calls };
}

export const word = (value: bigint) => `0x${value.toString(16).padStart(64, '0')}`;

/** The answers of a token to `symbol()` and `decimals()`. */
export const token =
  (symbol: unknown, decimals: unknown): Answer =>
  ([call]) =>
    (call as { data: string }).data === '0x313ce567' ? decimals : symbol;
