import { expect, it } from 'vitest';
import { fakeNode } from './node.js';
import { inProcess } from './tool.js';

/** The URL of a chain with 13 blocks, and what it is asked. `isAnvil`: whether it knows `anvil_reorg`. */
async function startChain(isAnvil = true) {
  const { url, calls } = await fakeNode({ eth_blockNumber: () => '0xd', ...(isAnvil && { anvil_reorg: () => null }) });
  return { rpc: `${url}/key-in-the-path`, calls };
}

it('replaces the last blocks with empty ones', async () => {
  const { rpc, calls } = await startChain();
  expect(await inProcess(['reorg', '--rpc', rpc])).toMatchObject({ code: 0, stdout: 'Replaced the last 3 blocks.\n' });
  const one = await inProcess(['reorg', '--rpc', rpc, '--depth', '1']);
  expect(one.stdout).toBe('Replaced the last block.\n');
  expect(calls).toContainEqual({ method: 'anvil_reorg', params: [3, []] });
  expect(calls).toContainEqual({ method: 'anvil_reorg', params: [1, []] });
});

it('keeps the first block, and says how many there are after it', async () => {
  const { rpc, calls } = await startChain();
  const { code, stderr } = await inProcess(['reorg', '--rpc', rpc, '--depth', '13']);
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('No re-org: the chain has only 12 blocks after block 1.'),
  ]);
  expect(calls).toHaveLength(1);
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
