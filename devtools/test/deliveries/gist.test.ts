import { sampleEventEmitted, sampleTransactionIncluded } from 'event-webhook-receiver/testing';
import { describe, expect, it } from 'vitest';
import { contentsOf } from '../../src/deliveries/contents.js';
import { gistText } from '../../src/deliveries/gist.js';
import type { KnownContract } from '../../src/deliveries/known-contracts.js';

const TOKEN = '0x5fbdb2315678afecb367f032d93f642f64180aa3';
const [FROM, TO] = ['0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266', '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'];
const input = (name: string, value: unknown, type: string) => ({ name, value, type, hashed: false });

function gist(items: readonly unknown[], known?: KnownContract): string {
  const { gist } = contentsOf(new TextEncoder().encode(JSON.stringify(items)));
  return gistText(gist, known && new Map([[TOKEN, known]]));
}

function event(name: string, inputs: readonly object[], log: object | string = '') {
  const rawFields = typeof log === 'string' ? log : JSON.stringify(log);
  return sampleEventEmitted({ data: { event: { name, inputs, rawFields } } } as never);
}

const transfer = (value: unknown, log: object | string = '', name = 'Transfer') =>
  event(name, [input('from', FROM, 'address'), input('to', TO, 'address'), input('value', value, 'uint256')], log);
const word = (value: bigint) => `0x${value.toString(16).padStart(64, '0')}`;
const LOG = JSON.parse(sampleEventEmitted().data.event.rawFields ?? '');
const logOf = (value: bigint) => ({ ...LOG, data: word(value) });

describe('the gist of a delivery', () => {
  it('says who transferred how much to whom, in units of the token once it is known', () => {
    const sample = [transfer('4500000000000000000', logOf(4_500_000_000_000_000_000n))];
    expect(gist(sample)).toBe('4,500,000,000,000,000,000 · 0xf39F → 0x7099');
    expect(gist(sample, { decimals: 18, symbol: 'TKN' })).toBe('4.5 TKN · 0xf39F → 0x7099');
    expect(gist(sample, { decimals: 12 })).toBe('4,500,000 · 0xf39F → 0x7099');
  });

  it('uses the number on the chain, and no decimals for the one received without a log', () => {
    const known = { decimals: 18, symbol: 'TKN' };
    expect(gist([transfer('1.5', logOf(1_500_000_000_000_000_000n))], known)).toBe('1.5 TKN · 0xf39F → 0x7099');
    expect(gist([transfer('15000')], known)).toBe('15,000 TKN · 0xf39F → 0x7099');
    expect(gist([transfer('1.5')], known)).toBe('1.5 · 0xf39F → 0x7099');
    expect(gist([transfer('7', { topics: 1 })], known)).toBe('7 TKN · 0xf39F → 0x7099');
    expect(gist([transfer('7', { topics: [], data: 1 })], known)).toBe('7 TKN · 0xf39F → 0x7099');
  });

  it('says that an amount is unlimited, and the id of a token', () => {
    expect(gist([transfer('1', logOf(2n ** 256n - 1n), 'Approval')])).toBe('unlimited · 0xf39F → 0x7099');
    const id = (name: string) =>
      gist([
        event(
          'Transfer',
          [input('from', FROM, 'address'), input('to', TO, 'address'), input(name, '123456', 'uint256')],
          { ...LOG, topics: [...LOG.topics, LOG.topics[2]], data: '0x' },
        ),
      ]);
    expect([id('value'), id('tokenId')]).toEqual([...['#', 'tokenId '].map((of) => `${of}123,456 · 0xf39F → 0x7099`)]);
    expect(gist([event('Named', [input('name', 'a', 'string')])])).toBe('name a');
    expect(gist([{ id: '1', event: 'new.kind' }])).toBe('');
  });

  it('says the same of other events with two addresses and a number, without decimals', () => {
    const moved = transfer('5', logOf(50_000n), 'Moved');
    expect(gist([moved], { decimals: 2 })).toBe('50,000 · 0xf39F → 0x7099');
  });

  it('says the hash and the outcome of a transaction, and what is wrong with an invalid item', () => {
    const hash = `0x12345678${'0'.repeat(56)}`;
    const tx = (data: object) => sampleTransactionIncluded({ data } as never);
    expect(gist([tx({ tx: { hash }, failed: true })])).toBe('tx 0x1234… · failed');
    expect(gist([tx({ tx: { hash }, status: 'included', failed: false })])).toBe('tx 0x1234… · included');
    expect(gist([tx({ tx: { hash: 1 }, status: undefined, failed: false })])).toBe('');
    expect(gist([{ id: 1 }])).not.toBe('');
    expect(gist([])).toBe('');
  });

  it('is one line of at most 120 visible characters, whatever the event contains', () => {
    const hostile = '\u202e\u001b[31m\n'.repeat(40);
    const inputs = Array.from({ length: 20 }, () => input(hostile, hostile, 'string'));
    const items = Array.from({ length: 50 }, () => event(hostile, inputs));
    for (const text of [gist(items), gist([transfer('1', logOf(1n))], { symbol: hostile, decimals: 1 })]) {
      expect(text.length).toBeLessThanOrEqual(120);
      expect(text).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
    }
    expect(gist(items)).toMatch(/… and 49 more$/);
  });
});
