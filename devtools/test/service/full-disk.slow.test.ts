import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Database from 'libsql';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { event } from '../../../test/helpers.js';
import { fileStorage } from '../../src/service/storage.js';
import { receiving } from './receivers.js';
import { serving } from './service.js';

/** The latest connection, and a limit of pages for the next one. */
const disk = vi.hoisted(() => ({
  last: undefined as Database.Database | undefined,
  pages: undefined as number | undefined,
  isFull: false,
}));

vi.mock('libsql', async (original) => {
  const { default: Real } = await original<{ default: typeof Database }>();
  class Observed extends Real {
    constructor(path: string, options: Database.Options) {
      super(path, options);
      disk.last = this;
      if (disk.pages !== undefined) limit(this, disk.pages);
    }
    override exec(sql: string): this {
      if (disk.isFull && sql === 'COMMIT') {
        throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
      }
      return super.exec(sql);
    }
  }
  return { default: Observed };
});

/** Makes SQLite behave as on a full disk: files of no more pages than this, or than they have already. */
function limit(database: Database.Database | undefined, pages: number): void {
  database?.prepare(`PRAGMA max_page_count = ${pages}`).all();
}

const directory = mkdtempSync(join(tmpdir(), 'full-disk-'));
afterAll(() => rmSync(directory, { recursive: true }));
afterEach(() => {
  disk.isFull = false;
});

let files = 0;
const newFile = () => join(directory, `file-${++files}`);
/** More than the free space in the pages that a file already has. */
const LONG = 'x'.repeat(10_000);

function logging() {
  const lines: string[] = [];
  const note = (level: string) => (_: object, text: string) => void lines.push(`${level}: ${text}`);
  return { lines, logger: { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') } };
}

describe('a file on a full disk', () => {
  it('refuses a change that it cannot store, and keeps its state', async () => {
    const file = newFile();
    const storage = await fileStorage(file);
    storage.commit({ type: 'key', key: 'first' });
    limit(disk.last, 1);
    for (let tries = 0; tries < 2; tries++) {
      expect(() => storage.commit({ type: 'key', key: LONG })).toThrow(
        expect.objectContaining({
          code: 'ERR_WEBHOOK_CONFIG',
          message: `\`file\`: ${file} cannot be written: the disk is full. Free some space (SQLITE_FULL).`,
        }),
      );
    }
    expect(storage.state.key).toBe('first');
    limit(disk.last, 1_000_000);
    storage.commit({ type: 'key', key: 'third' });
    storage.close();
    const again = await fileStorage(file);
    expect(again.state.key).toBe('third');
    again.close();
  });

  it('cannot be created, and can be once there is space', async () => {
    const file = newFile();
    disk.pages = 2;
    await expect(fileStorage(file)).rejects.toThrow('the disk is full');
    disk.pages = undefined;
    const storage = await fileStorage(file);
    storage.close();
  });
});

describe('a local service whose disk is full', () => {
  it('refuses what it is asked to keep, over its API with 500 and a line in the log', async () => {
    const { lines, logger } = logging();
    const { service, call } = await serving({ file: newFile(), logger });
    disk.isFull = true;
    expect(() => service.emit([event('a')])).not.toThrow();
    const registration = { label: 'mine', url: 'http://127.0.0.1:1/' };
    expect(await call('POST', '', registration)).toMatchObject({
      http: 500,
      message: expect.stringMatching(/its log/),
    });
    expect(lines).toContain('error: the API of the local service failed');
    expect(service.webhooks()).toEqual([]);
    disk.isFull = false;
    expect(await call('POST', '', registration)).toMatchObject({ http: 200 });
    disk.isFull = true;
    expect(() => service.emit([event('a')])).toThrow('the disk is full');
    await service.idle();
    expect(await call('GET', '/1/events/count')).toMatchObject({ result: 0 });
  });

  it('continues to deliver accepted events, also after a restart', async () => {
    const file = newFile();
    const { lines, logger } = logging();
    const receiver = await receiving();
    const first = await serving({
      file,
      logger,
      onDelivery: () => {
        disk.isFull = true;
      },
    });
    receiver.setSecret(first.service.register({ label: 'mine', url: receiver.url }).secret);
    first.service.emit([event('a')]);
    await first.service.idle();
    expect(first.changes.at(-1)?.state).toBe('delivered');
    expect(lines).toContain('error: the progress of a delivery could not be stored');
    await first.service.close();
    disk.isFull = false;
    const second = await serving({ file });
    await second.service.idle();
    await second.service.close();
    expect(second.changes.at(-1)).toMatchObject({ state: 'delivered', attempts: [{ status: 200 }] });
    expect([receiver.ids(), receiver.refused]).toEqual([['a'], []]);
  });
});
