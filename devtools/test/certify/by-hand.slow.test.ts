import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { CASES } from '../../src/certify/run-cases.js';
import { found } from './faults.js';
import { HANDLERS } from './handlers/start.js';

/** Faults of handlers in JavaScript, each with the cases that must find it, and no others. */
const FAULTS: Readonly<Record<string, readonly string[]>> = {
  none: [],
  'serialized-again': ['go-escapes', 'changed-body'],
  'small-bodies': ['one-mebibyte'],
  latin1: ['non-ascii'],
  // Authentic deliveries have another digest, so nothing else can be tested.
  'unsigned-timestamp': ['one-event'],
  'trailing-text': ['trailing-text'],
  'short-signature': ['truncated', 'trailing-text'],
  'number-timestamp': ['timestamp-forms'],
  'first-header': ['repeated-headers'],
  'key-of-transaction': ['two-logs'],
  'key-of-delivery': ['other-delivery'],
  'look-first': ['ten-at-once'],
  'seen-first': ['failing-handler'],
  'answer-first': ['failing-handler', 'effect-before-answer (warning)'],
  'unknown-kinds': ['unknown-kind'],
};

/** A database in memory, in place of Postgres: unique ids, and a failing insert. */
const POOL = `
const seen = new Set();
let orders = 0;
class Pool {
  on() {}
  async query(sql, [id] = []) {
    if (sql.includes('seen_events (id)')) return { rowCount: seen.has(id) ? 0 : seen.add(id) && 1 };
    if (!sql.includes('INTO orders')) return {};
    if (id !== 'always-fails') return void orders++;
    seen.delete(id);
    throw new Error('the database is down');
  }
  async connect() {
    return { query: this.query, release() {} };
  }
}`;

const PAGE = readFileSync(new URL('../../../docs/start/from-a-handler-by-hand.md', import.meta.url), 'utf8');
/** Cases of the group that either answer passes, a warning covers, or that are no JSON. */
const NO_FORGERIES = ['upper-case-hex', 'stale', 'future', 'seam'];

/** The handler before the migration, which counts its effects. */
function pageHandler(): string {
  const text = /```ts\n(\/\/ by-hand\.ts[\s\S]*?)```/.exec(PAGE)?.[1] ?? '';
  const listen = `app.get('/effects', (_, response) => response.send(String(orders)));
const server = app.listen(0, '127.0.0.1', () => console.log('http://127.0.0.1:' + server.address().port));`;
  return text.replace(/import \{ Pool \} .*/, POOL).replace(/app\.listen\(.*/, listen);
}

describe.concurrent('a handler written by hand in JavaScript', { timeout: 60_000 }, () => {
  test.each(Object.entries(FAULTS))('with the fault "%s" fails exactly where it must', async (fault, cases) => {
    expect(await found(HANDLERS.js, fault)).toEqual(cases);
  });

  test('that checks nothing takes every forgery', async () => {
    const forgeries = CASES.filter(({ group, id }) => group === 'forged' && !NO_FORGERIES.includes(id));
    const cases = [...forgeries.map(({ id }) => id), 'stale (warning)', 'future (warning)'];
    expect(await found(HANDLERS.js, 'no-check')).toEqual(cases);
  });

  test('as the page "Migrate a hand-written handler" has it has the faults that the page names', async () => {
    const named = ['seam', 'trailing-text', 'timestamp-forms', 'empty-parts', 'repeated-headers'];
    expect(await found(HANDLERS.text(pageHandler()))).toEqual([...named, 'stale (warning)', 'future (warning)']);
    for (const id of named) expect(PAGE).toContain(`\`${id}\``);
  });
});
