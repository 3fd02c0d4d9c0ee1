import { describe, expect, it } from 'vitest';
import { SimulatedAbortController, SimulatedAbortSignal } from './abort.js';

type Controller = Pick<AbortController, 'abort'> & { readonly signal: AbortSignal };
interface Kind {
  readonly create: () => Controller;
  readonly any: (signals: AbortSignal[]) => AbortSignal;
}

const KINDS: Record<string, Kind> = {
  'the model': {
    create: () => new SimulatedAbortController() as never,
    any: (signals) => SimulatedAbortSignal.any(signals as never) as never,
  },
  'Node.js': { create: () => new AbortController(), any: (signals) => AbortSignal.any(signals) },
};

/** What a signal shows of itself. */
const state = ({ aborted, reason }: AbortSignal) => [aborted, (reason as Error | undefined)?.name ?? reason];

describe.each(Object.entries(KINDS))('an AbortSignal of %s', (_, { create, any }) => {
  it('calls each listener once, in order, and none that was removed', () => {
    const { signal, abort } = bound(create());
    const calls: string[] = [];
    const [first, second, third] = ['first', 'second', 'third'].map((name) => () => calls.push(name));
    for (const listener of [first, second, first, third]) signal.addEventListener('abort', listener as () => void);
    signal.removeEventListener('abort', second as () => void);
    expect(state(signal)).toEqual([false, undefined]);
    abort();
    abort('again');
    expect(calls).toEqual(['first', 'third']);
    expect(state(signal)).toEqual([true, 'AbortError']);
    expect(() => signal.throwIfAborted()).toThrow('This operation was aborted');
  });

  it('has the reason that it was given', () => {
    const { signal, abort } = bound(create());
    abort('enough');
    expect(state(signal)).toEqual([true, 'enough']);
  });

  it('is aborted with the first of several, also if that was aborted before', () => {
    const [one, other] = [bound(create()), bound(create())];
    const both = any([one.signal, other.signal]);
    other.abort('other');
    one.abort('one');
    expect(state(both)).toEqual([true, 'other']);
    expect(state(any([one.signal, other.signal]))).toEqual([true, 'one']);
  });
});

function bound(controller: Controller) {
  return { signal: controller.signal, abort: (reason?: unknown) => controller.abort(reason) };
}
