import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { fc } from '../../../test/fixtures/property.js';
import type { Entry } from '../../src/service/entry.js';
import { replay } from '../../src/service/journal.js';
import { fileLedger, type Ledger, memoryLedger } from '../../src/service/ledger.js';
import { apply, emptyState, type State } from '../../src/service/state.js';

const directory = mkdtempSync(join(tmpdir(), 'journal-'));
afterAll(() => rmSync(directory, { recursive: true }));

let files = 0;
const newFile = () => join(directory, `journal-${++files}`);

/** What there is to compare of a state. What is pending has no order over a restart. */
function comparable({ key, next, webhooks }: State): string {
  const plain = [...webhooks.values()].map(({ record, deliveries, pending, events, bytes }) => ({
    ...{ record, events, bytes, pending: [...pending].map(({ id }) => id).sort((a, b) => a - b) },
    deliveries: [...deliveries.values()].map((delivery) => ({
      ...delivery,
      body: Buffer.from(delivery.body).toString(),
    })),
  }));
  return JSON.stringify({ key, next, plain }, (_name, value) => (value === undefined ? null : value));
}

// With a replacer, keys that are undefined and keys that are absent still differ: a state from JSON has no undefined.
const same = (state: State) => JSON.stringify(JSON.parse(comparable(state), (_name, value) => value ?? undefined));

const text = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 8 }), fc.constantFrom('__proto__', '\n', '"', '\u2028'));
const id = fc.integer({ min: 1, max: 3 });
const webhook = fc.record({ id, label: text, secret: text, failedCalls: id }).map((fields) => ({
  ...{ url: 'https://example.com/', subscriptions: [], createdAt: '', updatedAt: '' },
  ...fields,
}));
const state = fc.constantFrom('pending', 'delivered', 'given-up');
const attempt = fc.record({ at: id, headers: fc.constant([]), reason: fc.option(text, { nil: undefined }) });
const optional = fc.option(id, { nil: undefined });
const calls = fc.option(fc.record({ failedCalls: id, lastError: fc.option(text, { nil: undefined }) }), {
  nil: undefined,
});

/** Something that happens; what it is depends on what there is. */
const operation: fc.Arbitrary<(now: State) => Entry> = fc.oneof(
  webhook.map((each) => () => ({ type: 'webhook', webhook: each }) as Entry),
  id.map((each) => () => ({ type: 'removed', id: each }) as Entry),
  text.map((key) => () => ({ type: 'key', key }) as Entry),
  { weight: 4, arbitrary: fc.array(fc.array(text, { minLength: 1, maxLength: 3 }), { maxLength: 2 }).map(emitted) },
  {
    weight: 4,
    arbitrary: fc
      .record({ id, webhookId: id, attempts: fc.array(attempt, { maxLength: 2 }), failures: id, state })
      .chain((fields) =>
        fc.record({ deliveredAt: optional, nextAttemptAt: optional, calls }).map((more) => ({ ...fields, ...more })),
      )
      .map((fields) => () => ({ type: 'progress', ...fields }) as Entry),
  },
);

/** Two webhooks, and whatever happens then. */
const history = (constraints: fc.ArrayConstraints) =>
  fc
    .tuple(webhook, webhook, fc.array(operation, constraints))
    .map(([first, second, operations]) => [
      ...[first, second].map(
        (each, index) => () => ({ type: 'webhook', webhook: { ...each, id: index + 1 } }) as Entry,
      ),
      ...operations,
    ]);

function emitted(bodies: string[][]) {
  return ({ webhooks, next }: State): Entry => {
    let { delivery, event } = next;
    const batches = bodies.map((events) => {
      const to = [...webhooks.keys()].map((webhookId) => {
        event += events.length;
        return { id: delivery++, webhookId, firstEvent: event - events.length };
      });
      return { body: JSON.stringify(events), events: events.length, to };
    });
    return { type: 'emitted', at: 1, batches };
  };
}

const using = <T>(ledger: Ledger, use: (ledger: Ledger) => T): T => {
  try {
    return use(ledger);
  } finally {
    ledger.close();
  }
};

describe('the journal', () => {
  it('gives the same state again, however often it was made smaller', { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(history({ maxLength: 30 }), fc.constantFrom(1, 500, 1_000_000), (operations, compactFrom) => {
        const file = newFile();
        const memory = memoryLedger();
        const before = using(fileLedger(file, { compactFrom }), ({ state, commit }) => {
          for (const each of operations) {
            const entry = each(state);
            commit(entry);
            memory.commit(entry);
          }
          return same(state);
        });
        expect(before).toBe(same(memory.state));
        expect(using(fileLedger(file), ({ state }) => same(state))).toBe(before);
      }),
      { numRuns: 60 },
    );
  });

  it('forgets an error that is over', () => {
    const file = newFile();
    const record = { id: 1, label: 'a', url: '', subscriptions: [], secret: 's', createdAt: '', updatedAt: '' };
    const progress = { type: 'progress', id: 1, webhookId: 1, attempts: [], failures: 0, state: 'delivered' } as const;
    using(fileLedger(file), ({ commit }) => {
      commit({ type: 'webhook', webhook: { ...record, failedCalls: 0 } });
      commit({ ...progress, calls: { failedCalls: 1, lastError: 'answered 500', nextAttempt: 'soon' } });
      commit({ ...progress, calls: { failedCalls: 0, lastError: undefined } });
    });
    using(fileLedger(file), ({ state }) => {
      expect(state.webhooks.get(1)?.record).toEqual({ ...record, failedCalls: 0 });
    });
  });

  it('cut off at any byte is the state before or after one of its entries', { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(history({ minLength: 1, maxLength: 5 }), (operations) => {
        const file = newFile();
        const prefixes = new Set([same(emptyState())]);
        using(fileLedger(file), ({ state, commit }) => {
          for (const each of operations) {
            commit(each(state));
            prefixes.add(same(state));
          }
        });
        const whole = readFileSync(file);
        let longest = 0;
        for (let length = 0; length <= whole.length; length++) {
          const state = emptyState();
          longest = replay(file, whole.subarray(0, length), (entry) => apply(state, entry));
          expect(prefixes).toContain(same(state));
        }
        expect(longest).toBe(whole.length);
      }),
      { numRuns: 15 },
    );
  });

  it('goes on after what a kill left of a line', () => {
    const file = newFile();
    using(fileLedger(file), ({ commit }) => {
      commit({ type: 'key', key: 'first' });
      commit({ type: 'key', key: 'second' });
    });
    truncateSync(file, statSync(file).size - 3);
    expect(readFileSync(file, 'utf8').endsWith('"second')).toBe(true);
    using(fileLedger(file), ({ state, commit }) => {
      expect(state.key).toBe('first');
      commit({ type: 'key', key: 'third' });
    });
    using(fileLedger(file), ({ state }) => expect(state.key).toBe('third'));
  });

  it('does not grow with what is over', () => {
    const file = newFile();
    using(fileLedger(file, { compactFrom: 1000 }), ({ commit }) => {
      for (let count = 0; count < 1000; count++) commit({ type: 'key', key: `key-${count}` });
    });
    expect(statSync(file).size).toBeLessThan(2000);
    expect(readdirSync(directory).filter((name) => name.startsWith('journal-') && name.includes('.'))).toEqual([]);
  });

  it('is for the eyes of its owner, also where the file was there before', () => {
    for (const before of [false, true]) {
      const file = newFile();
      if (before) writeFileSync(file, '', { mode: 0o666 });
      using(fileLedger(file), () => expect(statSync(file).mode & 0o777).toBe(0o600));
      chmodSync(file, 0o644);
      using(fileLedger(file), () => expect(statSync(file).mode & 0o777).toBe(0o600));
    }
  });

  it('is where a link leads', () => {
    const [file, link] = [newFile(), newFile()];
    writeFileSync(file, '');
    symlinkSync(file, link);
    using(fileLedger(link, { compactFrom: 1 }), ({ commit }) => commit({ type: 'key', key: 'mine' }));
    using(fileLedger(file), ({ state }) => expect(state.key).toBe('mine'));
  });

  it.each([
    ['something else', 'no journal of ours\n', /is no journal/],
    ['a short text', 'x', /is no journal/],
    ['JSON', '{"a":1}\n', /is no journal/],
    ['a journal of another version', '{"journal":"event-webhook-receiver/local","version":2}\n', /is no journal/],
    ['binary data', '\0\0\0\0', /is no journal/],
    ['a damaged line', 'not JSON\n{"type":"key","key":"a"}\n', /Line 2 of the journal is damaged/],
    ['an entry of no kind', '{"type":"key","key":"a"}\n{"type":"later"}\n', /Line 3 of the journal is damaged/],
    ['a line of null', 'null\n', /Line 2 of the journal is damaged/],
  ])('that is %s is refused and left as it is', (title, content, message) => {
    const file = newFile();
    const header = '{"journal":"event-webhook-receiver/local","version":1}\n';
    const whole = /line|entry/.test(title) ? header + content : content;
    writeFileSync(file, whole);
    expect(() => fileLedger(file)).toThrow(message);
    expect(() => fileLedger(file)).toThrow(expect.objectContaining({ code: 'ERR_WEBHOOK_CONFIG' }));
    expect(readFileSync(file, 'utf8')).toBe(whole);
    expect(existsSync(`${file}.lock`)).toBe(false);
  });

  it('in a directory that is not there, or that is a directory, is refused', () => {
    expect(() => fileLedger(join(directory, 'missing', 'file'))).toThrow(/cannot be opened \(ENOENT\)/);
    const folder = newFile();
    mkdirSync(folder);
    expect(() => fileLedger(folder)).toThrow(/cannot be opened \(EISDIR\)/);
  });
});

describe('the lock of a journal', () => {
  it('keeps a second service of the process out', () => {
    const file = newFile();
    using(fileLedger(file), () => {
      expect(() => fileLedger(file)).toThrow(`in use by process ${process.pid}`);
      const { pid } = process;
      const holder = readFileSync(`${file}.lock`, 'utf8');
      expect(Number(holder.split(' ')[0])).toBe(pid);
    });
    using(fileLedger(file), () => {});
    expect(existsSync(`${file}.lock`)).toBe(false);
  });

  it('of a process that is dead is taken over', () => {
    const file = newFile();
    const { pid } = spawnSync(process.execPath, ['--version']);
    for (const left of [`${pid} `, `${pid} 12345`, `${process.pid} 1`, '', 'x', '0 ', '-1 ']) {
      writeFileSync(`${file}.lock`, left);
      using(fileLedger(file), ({ commit }) => commit({ type: 'key', key: 'mine' }));
    }
    expect(existsSync(`${file}.lock`)).toBe(false);
  });
});

describe('what is kept for a webhook', () => {
  const record = {
    ...{ id: 1, label: 'a', url: 'https://example.com/', subscriptions: [], secret: 's', failedCalls: 0 },
    ...{ createdAt: '', updatedAt: '' },
  };
  const emit = (state: State, events: number, body = '[]') => {
    const { delivery: id, event: firstEvent } = state.next;
    return apply(state, {
      type: 'emitted',
      at: 1,
      batches: [{ body, events, to: [{ id, webhookId: 1, firstEvent }] }],
    });
  };

  it('is bounded in events: the oldest goes, and is told of when it was pending', () => {
    const state = emptyState({ events: 5, bytes: 1000 });
    apply(state, { type: 'webhook', webhook: record });
    expect([emit(state, 2), emit(state, 2)]).toEqual([[], []]);
    apply(state, { type: 'progress', id: 1, webhookId: 1, attempts: [], failures: 0, state: 'delivered' });
    expect(emit(state, 2)).toEqual([]);
    expect(emit(state, 2)).toMatchObject([{ id: 2, state: 'given-up' }]);
    const kept = state.webhooks.get(1);
    expect([...(kept?.deliveries.keys() ?? [])]).toEqual([3, 4]);
    expect([kept?.pending.size, kept?.events, kept?.bytes]).toEqual([2, 4, 4]);
  });

  it('is bounded in bytes, but the last one stays', () => {
    const state = emptyState({ events: 1000, bytes: 10 });
    apply(state, { type: 'webhook', webhook: record });
    emit(state, 1, 'x'.repeat(6));
    expect(emit(state, 1, 'x'.repeat(6))).toMatchObject([{ id: 1 }]);
    expect(emit(state, 1, 'x'.repeat(60))).toMatchObject([{ id: 2 }]);
    expect(state.webhooks.get(1)?.bytes).toBe(60);
  });
});
