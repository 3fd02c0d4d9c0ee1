import type { ServerResponse } from 'node:http';
import { encodeAbiParameters, stringToHex } from 'viem';
import { describe, expect, it } from 'vitest';
import { readToken } from '../../src/cli/anvil/read-token.js';
import { serve } from '../servers.js';
import { fakeNode, token, word } from './node.js';

const { signal } = new AbortController();
const address = `0x${'5f'.repeat(20)}`;
const text = (symbol: string) => encodeAbiParameters([{ type: 'string' }], [symbol]);
const read = async (symbol: unknown, decimals: unknown) => {
  const { url } = await fakeNode({ eth_call: token(symbol, decimals) });
  return readToken(url, address, signal);
};

describe('the symbol and decimals of a token', () => {
  it.each<[string, unknown, unknown, object]>([
    ['are those that the contract returns', text('TKN'), word(6n), { symbol: 'TKN', decimals: 6 }],
    ['may be a symbol in bytes32', stringToHex('MKR', { size: 32 }), word(18n), { symbol: 'MKR', decimals: 18 }],
    ['may be only one of them', undefined, word(0n), { decimals: 0 }],
    ['are nothing where decimals are above 255', text('TKN'), word(256n), { symbol: 'TKN' }],
    ['are nothing in empty results', '0x', '0x', {}],
    ['are nothing in results that are not strings', 6, {}, {}],
    ['are nothing in broken encodings', `0x${'ff'.repeat(64)}`, '0x06', {}],
    ['are nothing in bytes that are not UTF-8', `0x${'ff'.repeat(32)}`, word(1n), { decimals: 1 }],
    ['are nothing in an empty symbol', text(' '), word(1n), { decimals: 1 }],
    ['are cut', text('x'.repeat(100_000)), word(1n), { symbol: `${'x'.repeat(19)}…`, decimals: 1 }],
    ['are not read from 10 MB', text('x'.repeat(5_000_000)), word(1n), { decimals: 1 }],
    [
      'hide and reorder nothing',
      text('\u202EA\u0000\u001B[31m'),
      word(1n),
      { symbol: '\uFFFDA\uFFFD\uFFFD[31m', decimals: 1 },
    ],
  ])('%s', async (_, symbol, decimals, expected) => {
    expect(await read(symbol, decimals)).toEqual(expected);
  });

  it('are undefined when no node responds, or the command ends', async () => {
    const { url } = await fakeNode({ eth_call: token(text('TKN'), word(6n)) });
    expect(await readToken(url, address, AbortSignal.abort())).toEqual({});
    expect(await readToken('http://127.0.0.1:1/', address, signal)).toEqual({});
  });

  it.each<[string, (response: ServerResponse, elsewhere: string) => void]>([
    ['never answers', () => {}],
    ['never ends its answer', (response) => response.writeHead(200).write('{')],
    ['redirects elsewhere', (response, elsewhere) => response.writeHead(307, { location: elsewhere }).end()],
  ])('are undefined where the node %s', async (_, answer) => {
    const other = await fakeNode({ eth_call: token(text('TKN'), word(6n)) });
    const url = await serve((_request, response) => answer(response, other.url));
    expect(await readToken(url, address, signal, 50)).toEqual({});
  });
});
