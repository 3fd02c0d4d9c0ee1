import { describe, expect, it } from 'vitest';
import { createRouter } from '../../src/index.js';
import { event } from '../helpers.js';

const nothing = () => {};
const context = { idempotencyKey: 'key' } as never;

describe('a router for reorgs', () => {
  it('gives a reverted event to the counterpart of its route', () => {
    const calls: string[] = [];
    const note = (name: string) => () => void calls.push(name);
    const router = createRouter()
      .on('event.emitted', { name: 'Transfer' }, note('+transfer'))
      .on('event.emitted', note('+other'))
      .onReverted('event.emitted', note('-other'))
      .onReverted('event.emitted', { name: 'Transfer' }, note('-transfer'));
    router.dispatch(event('a'), context);
    router.dispatchReverted(event('a'), context);
    router.dispatchReverted(event('b', 'Approval'), context);
    router.dispatchAllReverted([{ event: event('c'), idempotencyKey: 'c' }], {} as never);
    expect(calls).toEqual(['+transfer', '-transfer', '-other', '-transfer']);
  });

  it('finds the counterpart of a matcher by the matcher', () => {
    const calls: number[] = [];
    const matcher = { select: () => 7 };
    const router = createRouter()
      .on(matcher, nothing)
      .onReverted(matcher, (seven) => void calls.push(seven));
    router.dispatchReverted(event('a'), context);
    expect(calls).toEqual([7]);
  });

  it.each([
    ['a route', createRouter().on('event.emitted', { name: 'Transfer' }, nothing), /"name":"Transfer".*`onReverted`/],
    ['a matcher', createRouter().on({ select: nothing }, nothing), /event\.emitted.*`onReverted`/],
    ['otherwise', createRouter().otherwise(nothing), /otherwise.*`otherwiseReverted`/],
  ])('is refused where a handler that undoes %s is missing', (_, router, message) => {
    expect(() => router.dispatchReverted).toThrow(message);
    expect(() => router.dispatchAllReverted).toThrow(message);
  });

  it('undoes what otherwise did by otherwiseReverted', () => {
    const calls: string[] = [];
    const router = createRouter()
      .otherwise(nothing)
      .otherwiseReverted(({ id }) => void calls.push(id));
    router.dispatchReverted(event('a'), context);
    expect(calls).toEqual(['a']);
  });
});
