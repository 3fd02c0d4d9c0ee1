import type * as fs from 'node:fs';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { event } from '../../../test/helpers.js';
import { fileLedger } from '../../src/service/ledger.js';
import { receiving } from './receivers.js';
import { serving } from './service.js';

/** How many bytes the disk still takes. */
const disk = vi.hoisted(() => ({ room: Number.POSITIVE_INFINITY }));

vi.mock('node:fs', async (original) => {
  const real = await original<typeof fs>();
  function writeSync(fd: number, bytes: Uint8Array, offset: number, length: number, position: number): number {
    if (disk.room === 0) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
    const written = real.writeSync(fd, bytes, offset, Math.min(length, disk.room), position);
    disk.room -= written;
    return written;
  }
  return { ...real, writeSync };
});

const directory = mkdtempSync(join(tmpdir(), 'full-disk-'));
afterAll(() => rmSync(directory, { recursive: true }));
afterEach(() => {
  disk.room = Number.POSITIVE_INFINITY;
});

let files = 0;
const newFile = () => join(directory, `journal-${++files}`);

function logging() {
  const lines: string[] = [];
  const note = (level: string) => (_: object, text: string) => void lines.push(`${level}: ${text}`);
  return { lines, logger: { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') } };
}

describe('a journal whose disk is full', () => {
  it('refuses what it cannot write, and is as if it had never been asked', () => {
    const file = newFile();
    const ledger = fileLedger(file);
    ledger.commit({ type: 'key', key: 'first' });
    const before = readFileSync(file, 'utf8');
    disk.room = 10;
    expect(() => ledger.commit({ type: 'key', key: 'second' })).toThrow('no space left');
    expect(readFileSync(file, 'utf8')).toBe(before);
    expect(ledger.state.key).toBe('first');
    disk.room = Number.POSITIVE_INFINITY;
    ledger.commit({ type: 'key', key: 'third' });
    ledger.close();
    const again = fileLedger(file);
    expect(again.state.key).toBe('third');
    again.close();
  });

  it('cannot be begun, and nothing is left of it', () => {
    const file = newFile();
    disk.room = 5;
    expect(() => fileLedger(file)).toThrow('cannot be opened (ENOSPC)');
    expect(readdirSync(directory).filter((name) => join(directory, name).startsWith(file))).toEqual([]);
  });

  it('goes on as it is when it cannot be made smaller, and says so once it tries', () => {
    const file = newFile();
    const { lines, logger } = logging();
    const ledger = fileLedger(file, { compactFrom: 200, logger });
    // Where the smaller one would be written there is a directory.
    mkdirSync(`${file}.new`);
    for (let count = 1; count <= 6; count++) ledger.commit({ type: 'key', key: `${count}`.repeat(20) });
    expect(lines).toEqual(['warn: the journal of the local service cannot be made smaller now']);
    ledger.close();
    rmSync(`${file}.new`, { recursive: true });
    const again = fileLedger(file);
    expect(again.state.key).toBe('6'.repeat(20));
    again.close();
  });
});

describe('a journal of many megabytes', () => {
  it('is made smaller in several writes, and holds what it held', () => {
    const file = newFile();
    const ledger = fileLedger(file, { compactFrom: 1 });
    const webhook = { url: 'https://example.com/', subscriptions: [], createdAt: '', updatedAt: '', failedCalls: 0 };
    for (const id of [1, 2, 3]) {
      const secret = String(id).repeat(700_000);
      ledger.commit({ type: 'webhook', webhook: { ...webhook, id, label: `label-${id}`, secret } });
    }
    ledger.commit({ type: 'key', key: 'last' });
    ledger.close();
    const again = fileLedger(file);
    expect(again.state.key).toBe('last');
    expect([...again.state.webhooks.values()].map(({ record }) => [record.label, record.secret.length])).toEqual([
      ['label-1', 700_000],
      ['label-2', 700_000],
      ['label-3', 700_000],
    ]);
    again.close();
  });
});

describe('a local service whose disk is full', () => {
  it('refuses what it is asked to keep, over its API with 500 and a line in the log', async () => {
    const { lines, logger } = logging();
    const { service, call } = await serving({ file: newFile(), logger });
    disk.room = 0;
    expect(() => service.emit([event('a')])).not.toThrow();
    const registration = { label: 'mine', url: 'http://127.0.0.1:1/' };
    expect(await call('POST', '', registration)).toMatchObject({
      http: 500,
      message: expect.stringMatching(/its log/),
    });
    expect(lines).toContain('error: the API of the local service failed');
    expect(service.webhooks()).toEqual([]);
    disk.room = Number.POSITIVE_INFINITY;
    expect(await call('POST', '', registration)).toMatchObject({ http: 200 });
    disk.room = 0;
    expect(() => service.emit([event('a')])).toThrow('no space left');
    await service.idle();
    expect(await call('GET', '/1/events/count')).toMatchObject({ result: 0 });
  });

  it('goes on delivering what it has taken, and does that again after a restart', async () => {
    const file = newFile();
    const { lines, logger } = logging();
    const receiver = await receiving();
    const first = await serving({
      file,
      logger,
      onDelivery: () => {
        disk.room = 0;
      },
    });
    receiver.setSecret(first.service.register({ label: 'mine', url: receiver.url }).secret);
    first.service.emit([event('a')]);
    await first.service.idle();
    expect(first.changes.at(-1)?.state).toBe('delivered');
    expect(lines).toContain('error: the file of the local service cannot be written');
    await first.service.close();
    disk.room = Number.POSITIVE_INFINITY;
    const second = await serving({ file });
    await second.service.idle();
    await second.service.close();
    expect(second.changes.at(-1)).toMatchObject({ state: 'delivered', attempts: [{ status: 200 }] });
    expect([receiver.ids(), receiver.refused]).toEqual([['a'], []]);
  });
});
