import { Writable } from 'node:stream';
import { serviceHeaders } from 'event-webhook-receiver/verify';
import { expect, it, onTestFinished, vi } from 'vitest';
import { deferred } from '../../../test/helpers.js';
import { createPrinter, type PrinterOptions } from '../../src/cli/delivery-printer.js';
import { createOutput } from '../../src/cli/output.js';
import { contentsOf } from '../../src/deliveries/contents.js';
import { createFeed } from '../../src/deliveries/feed.js';
import type { Finding } from '../../src/explain/finding.js';
import { recordOf } from '../deliveries/records.js';
import { sink } from './sink.js';

const turns = async () => {
  for (let turn = 0; turn < 10; turn++) await new Promise((then) => setImmediate(then));
};
const FOUND: Finding = { cause: 'found', what: 'What it is.', confidence: 'certain', fix: 'Do that.' };

/** A printer whose stdout takes something only when `take` is called, unless `isRead`. */
function printing({ isRead = true, ...options }: Partial<PrinterOptions> & { isRead?: boolean } = {}) {
  const lines: string[] = [];
  const notes: string[] = [];
  const taking: (() => void)[] = [];
  const stdout = new Writable({
    highWaterMark: 1,
    write(chunk, _, done) {
      lines.push(...String(chunk).trim().split('\n'));
      if (isRead) done();
      else taking.push(done);
    },
  });
  const stderr = sink((text) => notes.push(text));
  const output = createOutput(stdout, stderr, { env: {}, json: true, name: 'tool' });
  const feed = createFeed({ maxDeliveries: 100_000 });
  const sources = { headers: serviceHeaders, toleranceSeconds: 300, secretOf: () => 'another secret' };
  const explainer = {
    explain: async () => [FOUND],
    read: async (rawBody: Uint8Array) => contentsOf(rawBody),
  };
  const printer = createPrinter({ feed, sources, explainer, output, ...options });
  const deliver = (id: string, verified: boolean) => {
    feed.put(recordOf(id, { verified, attempt: { status: verified ? 200 : 403 } }));
    printer.print(id);
  };
  const documents = () => lines.map((line) => JSON.parse(line));
  const printed = () => documents().flatMap(({ delivery = [] }) => delivery);
  return { ...printer, feed, deliver, documents, printed, lines, notes, taking };
}

it('prints in the order in which deliveries came, also what waits for an explanation', async () => {
  const { promise, resolve } = deferred<readonly Finding[]>();
  const { deliver, done, printed } = printing({
    explainer: { explain: () => promise, read: async () => undefined },
  });
  for (const id of ['1', '2', '3']) deliver(id, id !== '2');
  await turns();
  resolve([FOUND]);
  await done(undefined);
  expect(printed().map(({ id, findings }) => [id, findings.map(({ cause }: Finding) => cause)])).toEqual([
    ['1', []],
    ['2', ['found']],
    ['3', []],
  ]);
});

it('has what a stranger sent read elsewhere, and then listed', async () => {
  const { deliver, done, printed, feed } = printing();
  deliver('1', false);
  expect(feed.get('1')?.contents).toMatchObject({ events: 0, names: [] });
  await turns();
  await done(undefined);
  expect(printed()[0]).toMatchObject({ events: 1, names: ['Transfer'], findings: [FOUND] });
  expect(feed.get('1')?.contents).toMatchObject({ events: 1, names: ['Transfer'] });
});

it('does not explain a delivery that has waited too long for earlier ones, and says so', async () => {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  onTestFinished(() => clock.mockRestore());
  const { deliver, done, printed } = printing();
  const causes = () => printed().map(({ findings }) => findings.map(({ cause }: Finding) => cause));
  for (const id of ['1', '2']) deliver(id, false);
  // The first waits for the start of the explainer, however long that takes.
  clock.mockReturnValue(60_000);
  while (printed().length < 2) await turns();
  expect(causes()).toEqual([['found'], ['found']]);
  for (const id of ['3', '4']) deliver(id, false);
  clock.mockReturnValue(65_001);
  while (printed().length < 4) await turns();
  expect(causes().slice(2)).toEqual([['found'], ['not-explained']]);
  await done(undefined);
});

it('keeps a bounded number of deliveries while nobody reads stdout, forgeries before authentic ones, and counts the rest', async () => {
  const { deliver, done, printed, notes } = printing({ isRead: false });
  for (let id = 0; id < 1500; id++) deliver(String(id), false);
  deliver('authentic', true);
  await done(undefined);
  expect(printed().length).toBe(1);
  expect(notes.join('')).toMatch(/(499|500) requests arrived too fast to be printed\./);
});

it('notes what it missed every five seconds, although deliveries are still waiting', async () => {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(60_000);
  onTestFinished(() => clock.mockRestore());
  const { deliver, done, lines, notes } = printing();
  for (let id = 0; id < 1500; id++) deliver(String(id), false);
  while (notes.length === 0 && lines.length < 1000) await turns();
  expect([lines.length < 1000, notes]).toEqual([true, [expect.stringMatching(/(499|500) requests arrived too fast/)]]);
  clock.mockReturnValue(64_999);
  for (let id = 0; id < 1500; id++) deliver(String(id), false);
  await turns();
  expect(notes).toHaveLength(1);
  await done(undefined);
});

it('prints no more than stdout takes', async () => {
  const { deliver, printed, taking, done } = printing({ isRead: false });
  for (const id of ['1', '2', '3']) deliver(id, true);
  await turns();
  expect(printed().map(({ id }) => id)).toEqual(['1']);
  taking.shift()?.();
  await turns();
  expect(printed().map(({ id }) => id)).toEqual(['1', '2']);
  await done(undefined);
});

it('ends with the number of each verdict and of each cause, also of deliveries that were not printed', async () => {
  const causes = ['common', 'rare', 'common'];
  const { feed, print, deliver, done, documents } = printing({
    explainer: { explain: async () => [{ ...FOUND, cause: causes.shift() ?? '' }], read: async () => undefined },
  });
  deliver('1', true);
  for (const id of ['2', '3', '4']) deliver(id, false);
  const attempt = { status: 503, code: 'ECONNREFUSED', reason: 'Nothing listens.' };
  feed.put(recordOf('5', { verified: true, attempt }));
  print('5');
  await turns();
  await done('deliveries.ndjson');
  expect(documents().at(-1).summary).toEqual({
    ...{ deliveries: 5, accepted: 1, refused: 3, failed: 1, recording: 'deliveries.ndjson' },
    causes: [
      { id: 'common', count: 2, text: 'common' },
      { id: 'rare', count: 1, text: 'rare' },
      { id: 'ECONNREFUSED', count: 1, text: 'Nothing listens.' },
    ],
  });
});
