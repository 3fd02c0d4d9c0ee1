import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { isRemoved, rawLog } from 'event-webhook-receiver/evm';
import { describe, expect, it } from 'vitest';
import { untilClosed } from '../../../test/servers/server.js';
import { sampleTokenAbi } from '../../src/cli/anvil/sample-token.js';
import { app, limits, pageOf } from './emulated.js';
import { onTerminal } from './on-terminal.js';
import { startProcess, ways } from './running.js';
import { asProcess, scratch } from './tool.js';

const { ANVIL = '' } = process.env;
const anvil = ['emulate', '--port', '0', '--anvil'];

/** An app, and the options that register it. */
async function shop() {
  const secretFile = await (await scratch())('secret');
  const { url, event } = await app(secretFile);
  return { event, register: ['--register', `shop=${url}`, '--secret-out', secretFile] };
}

describe.each(ways)('emulate with a chain, $way', ({ start }) => {
  it('delivers the transfers of a chain that it starts', limits, async () => {
    const { event, register } = await shop();
    const emulate = start([...anvil, '--interval', '3600', ...register], { ANVIL });
    const [, rpc = '', address = ''] =
      /^Chain: (http:\S+), id 31337, sampletoken (0x\w{40})$/.exec(await emulate.until(/^Chain/)) ?? [];
    const page = await pageOf(emulate);
    const { transaction } = (await page('POST', 'sample')).body;
    const came = await event();
    if (came.event !== 'event.emitted') throw new Error('It is another kind.');
    expect(came.data.transaction?.txHash).toBe(transaction);
    expect(came.data.event).toMatchObject({ name: 'Transfer', contract: { label: 'sampletoken' } });
    await emulate.until(/200 accepted/);
    const { body } = await page('GET', 'deliveries/1');
    expect(body.items[0].inputs[2]).toMatchObject({ exact: '250000000000000000', formatted: '0.25' });
    expect((await page('GET', 'state')).body.chain).toEqual({ rpcUrl: rpc, chainId: 31337 });

    // A second service watches the same chain through its RPC, by the ABI in a file.
    const abi = await (await scratch())('MyToken.json');
    await writeFile(abi, JSON.stringify({ contractName: 'MyToken', abi: sampleTokenAbi }));
    const other = await shop();
    const watch = ['--rpc', rpc, '--contract', `${address}=${abi}:mine`];
    const second = start(['emulate', '--port', '0', ...watch, ...other.register]);
    expect(await second.until(/^Chain/)).toContain(`mine ${address}`);
    const secondPage = await pageOf(second);
    await page('POST', 'sample');
    expect((await other.event()).data).toMatchObject({ event: { contract: { label: 'mine', name: 'MyToken' } } });
    await second.until(/200 accepted/);
    const seen = await secondPage('GET', 'deliveries/1');
    expect(seen.body.items[0].inputs[2]).toMatchObject({ exact: '500000000000000000', formatted: '0.5' });
    await second.end();
    await emulate.end();
    await untilClosed(Number(new URL(rpc).port));
  });
});

describe('emulate --anvil', () => {
  it('sends transfers by itself, and stops its chain when it exits, whatever ends it', limits, async () => {
    for (const [signal, code] of [
      ['SIGINT', 130],
      ['SIGTERM', 143],
    ] as const) {
      const { event, register } = await shop();
      const emulate = startProcess([...anvil, '--interval', '0.1', ...register], { ANVIL });
      const rpc = /http:\S+(?=,)/.exec(await emulate.until(/^Chain/))?.[0] ?? '';
      await event();
      await event();
      expect(await emulate.end(signal)).toBe(code);
      await untilClosed(Number(new URL(rpc).port));
      expect(emulate.stderr).toBe('');
    }
  });

  it('takes re-orgs of any depth from the command reorg', limits, async () => {
    const { event, register } = await shop();
    const emulate = startProcess([...anvil, '--interval', '3600', ...register], { ANVIL });
    const rpc = /http:\S+(?=,)/.exec(await emulate.until(/^Chain/))?.[0] ?? '';
    const page = await pageOf(emulate);
    for (let sent = 0; sent < 12; sent++) {
      await page('POST', 'sample');
      await event();
    }
    const reorg = await asProcess(['reorg', '--rpc', rpc, '--depth', '9', '--json']);
    expect([reorg.code, JSON.parse(reorg.stdout)]).toEqual([0, { reorg: { depth: 9 } }]);
    const removed: number[] = [];
    while (removed.length < 9) {
      const came = await event();
      if (came.event === 'event.emitted' && isRemoved(came)) removed.push(Number(rawLog(came)?.blockNumber));
    }
    const [highest = 0] = removed;
    expect(removed).toEqual(Array.from({ length: 9 }, (_, at) => highest - at));
    const { code, stderr } = await asProcess(['reorg', '--rpc', rpc, '--depth', '1000']);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/No re-org: the chain has only \d+ blocks after block 1/),
    ]);
  });

  it('makes a re-org at a key, and delivers the removal of its logs', limits, async () => {
    const { event, register } = await shop();
    const emulate = onTerminal([...anvil, '--interval', '0.1', ...register], {
      env: { ANVIL },
    });
    for (let came = 0; came < 4; came++) await event();
    emulate.type('x');
    for (;;) {
      const came = await event();
      if (came.event === 'event.emitted' && isRemoved(came)) break;
    }
    emulate.type('?');
    await emulate.shows(/x {4}make a re-org/);
    emulate.type('q');
    expect(await emulate.ended).toBe(0);
  });

  it('keeps running without its chain, with a note', limits, async () => {
    const register = ['--register', 'x=http://127.0.0.1:1/'];
    const emulate = startProcess([...anvil, '--interval', '0', ...register], { ANVIL });
    const rpc = /http:\S+(?=,)/.exec(await emulate.until(/^Chain/))?.[0] ?? '';
    const page = await pageOf(emulate);
    // Its RPC has no call that ends it, so its process is found by its parent.
    const children = execFileSync('ps', ['-o', 'pid=', '--ppid', String(emulate.pid)], { encoding: 'utf8' });
    for (const pid of children.trim().split(/\s+/)) process.kill(-Number(pid), 'SIGTERM');
    await untilClosed(Number(new URL(rpc).port));
    while (!emulate.stderr.includes('anvil has exited')) await page('GET', 'state');
    expect(await page('POST', 'sample')).toMatchObject({
      status: 503,
      body: { message: expect.stringContaining('anvil') },
    });
    expect(await emulate.end('SIGTERM')).toBe(143);
  });
});
