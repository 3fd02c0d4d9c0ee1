import { sampleEventEmitted } from 'event-webhook-receiver/testing';
import { encodeAbiParameters } from 'viem';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { followTokens } from '../../src/cli/anvil/node-tokens.js';
import { createFeed, type KeptDelivery } from '../../src/deliveries/feed.js';
import { summaryOf } from '../../src/deliveries/views.js';
import { kept, recordOf } from '../deliveries/records.js';
import { fakeNode, token, word } from './node.js';
import { noting } from './recordings.js';

const TKN = encodeAbiParameters([{ type: 'string' }], ['TKN']);
const sample = sampleEventEmitted();
const address = sample.data.event.contract.address.toLowerCase();

async function following(answers: Parameters<typeof fakeNode>[0]) {
  const { url, calls } = await fakeNode(answers);
  const feed = createFeed();
  const { notes, output } = noting();
  const onChange = vi.fn();
  const tokens = followTokens({ rpcUrl: new URL(`${url}?key=private`), feed, output, onChange });
  onTestFinished(() => tokens.close());
  const gist = (id: string) => summaryOf(feed.get(id) as KeptDelivery, tokens.contracts).gist;
  const asked = () => calls.filter(({ method }) => method === 'eth_call').length / 2;
  return { feed, tokens, notes, onChange, gist, asked };
}

describe('the tokens of a node', () => {
  it('give the amounts of authentic deliveries their units, also of those that came before', async () => {
    const { feed, tokens, onChange, gist, asked } = await following({
      eth_chainId: () => '0x1',
      eth_call: token(TKN, word(18n)),
    });
    const shown: string[] = [];
    feed.subscribe((record) => record && shown.push(record.id));
    for (const id of ['1', '2']) feed.put(recordOf(id));
    await vi.waitFor(() => expect(gist('1')).toMatch(/^1 TKN ·/));
    expect([asked(), shown]).toEqual([1, ['1', '2', '1', '2']]);
    expect(tokens.view()).toEqual({ rpcUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/), chainId: 1 });
    expect(tokens.contracts.get(address)).toEqual({ symbol: 'TKN', decimals: 18 });
    expect(onChange).toHaveBeenCalledTimes(1);
  });

  it('are not asked for by strangers, by deliveries without an amount, or after the end', async () => {
    const { feed, tokens, asked } = await following({ eth_chainId: () => '0x1', eth_call: token(TKN, word(18n)) });
    await vi.waitFor(() => expect(tokens.view()).toBeDefined());
    feed.put(recordOf('1', { verified: false }));
    feed.put(recordOf('2', { events: [] }));
    feed.describe('1', kept('1').contents);
    const other = { data: { event: { contract: { address: 'not an address' } } } };
    feed.put(recordOf('3', { events: [sampleEventEmitted(other)] }));
    feed.clear();
    await tokens.close();
    feed.put(recordOf('4'));
    expect(asked()).toBe(0);
  });

  it('are unknown where the contract is not a token', async () => {
    const { feed, tokens, onChange, asked } = await following({ eth_chainId: () => '0x1', eth_call: () => undefined });
    feed.put(recordOf('1'));
    await vi.waitFor(() => expect(asked()).toBe(1));
    await tokens.close();
    expect([tokens.contracts.size, onChange.mock.calls.length]).toEqual([0, 1]);
  });

  it.each([undefined, 'x', '-0x1', {}])('are not shown when the node fails: %s', async (chainId) => {
    const { feed, tokens, notes, asked } = await following({ eth_chainId: () => chainId });
    feed.put(recordOf('1'));
    await vi.waitFor(() => expect(notes).toHaveLength(1));
    expect(notes[0]).toMatch(
      /^The node at http:\/\/127\.0\.0\.1:\d+ does not respond: amounts are shown without units\.$/,
    );
    await tokens.close();
    expect([tokens.view(), asked()]).toEqual([undefined, 0]);
  });

  it('are waited for', async () => {
    let answer: (symbol: string) => void = () => {};
    const silent = new Promise<string>((resolve) => {
      answer = resolve;
    });
    const { feed, tokens, gist } = await following({ eth_chainId: () => '0x1', eth_call: token(silent, word(18n)) });
    await tokens.known();
    feed.put(recordOf('1'));
    const known = tokens.known();
    answer(TKN);
    await known;
    expect(gist('1')).toMatch(/^1 TKN ·/);
  });

  it('do not hold up the end of the command', async () => {
    const { tokens, notes } = await following({ eth_chainId: () => undefined });
    await tokens.close();
    expect(notes).toEqual([]);
  });

  // A thousand requests to a node take as long as the machine is busy.
  it('are asked for up to a limit', { timeout: 60_000 }, async () => {
    const { feed, tokens, asked } = await following({ eth_chainId: () => '0x1', eth_call: () => undefined });
    for (let n = 1; n <= 510; n++) {
      const contract = { address: `0x${n.toString(16).padStart(40, '0')}` };
      feed.put(recordOf(String(n), { events: [sampleEventEmitted({ data: { event: { contract } } })] }));
    }
    await vi.waitFor(() => expect(asked()).toBe(500), 55_000);
    await tokens.close();
    expect(asked()).toBe(500);
  });
});
