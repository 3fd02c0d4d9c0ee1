import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { inProcess } from './tool.js';

/** The URL of a chain with 13 blocks, and what it is asked. `isAnvil`: whether it knows `anvil_reorg`. */
async function startChain(isAnvil = true) {
  const asked: unknown[] = [];
  const server = createServer(async (request, response) => {
    const { id, method, params } = JSON.parse(await text(request));
    asked.push([method, params]);
    const answer = method === 'eth_blockNumber' ? { result: '0xd' } : isAnvil ? { result: null } : { error: UNKNOWN };
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  return { rpc: `http://127.0.0.1:${port}/key-in-the-path`, asked };
}
const UNKNOWN = { code: -32_601, message: 'Method not found' };

it('replaces the last blocks with empty ones', async () => {
  const { rpc, asked } = await startChain();
  expect(await inProcess(['reorg', '--rpc', rpc])).toMatchObject({ code: 0, stdout: 'Replaced the last 3 blocks.\n' });
  const one = await inProcess(['reorg', '--rpc', rpc, '--depth', '1']);
  expect(one.stdout).toBe('Replaced the last block.\n');
  expect(asked).toContainEqual(['anvil_reorg', [3, []]]);
  expect(asked).toContainEqual(['anvil_reorg', [1, []]]);
});

it('keeps the first block, and says how many there are after it', async () => {
  const { rpc, asked } = await startChain();
  const { code, stderr } = await inProcess(['reorg', '--rpc', rpc, '--depth', '13']);
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('No re-org: the chain has only 12 blocks after block 1.'),
  ]);
  expect(asked).toHaveLength(1);
});

it('says which node is not anvil, without the path of its URL', async () => {
  const { rpc } = await startChain(false);
  const { code, stderr } = await inProcess(['reorg', '--rpc', rpc]);
  expect([code === 0, stderr]).toEqual([
    false,
    expect.stringMatching(/127\.0\.0\.1:\d+ does not answer as anvil does/),
  ]);
  expect(stderr).not.toContain('key-in-the-path');
});
