import Database from 'libsql';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { event } from '../../../test/helpers.js';
import { pair } from './receivers.js';
import { logging, serving } from './service.js';
import { newFile } from './storages.js';

const disk = { isFull: false };
const { exec } = Database.prototype;
vi.spyOn(Database.prototype, 'exec').mockImplementation(function (this: Database.Database, sql) {
  if (disk.isFull && sql === 'COMMIT') {
    throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
  }
  return exec.call(this, sql);
});

afterAll(() => void vi.restoreAllMocks());
afterEach(() => {
  disk.isFull = false;
});

describe('a local service whose disk is full', () => {
  it('refuses what it is asked to keep, over its API with 500 and a line in the log', async () => {
    const { texts, logger } = logging();
    const { service, call } = await serving({ file: newFile(), logger });
    disk.isFull = true;
    expect(() => service.emit([event('a')])).not.toThrow();
    const registration = { label: 'mine', url: 'http://127.0.0.1:1/' };
    expect(await call('POST', '', registration)).toMatchObject({
      http: 500,
      message: expect.stringMatching(/its log/),
    });
    expect(texts()).toContain('error: the API of the local service failed');
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
    const { texts, logger } = logging();
    const { receiver, ...first } = await pair({
      ...{ file, logger },
      onDelivery: () => {
        disk.isFull = true;
      },
    });
    first.service.emit([event('a')]);
    await first.service.idle();
    expect(first.changes.at(-1)?.state).toBe('delivered');
    expect(texts()).toContain('error: the progress of a delivery could not be stored');
    await first.service.close();
    disk.isFull = false;
    const second = await serving({ file });
    await second.service.idle();
    await second.service.close();
    expect(second.changes.at(-1)).toMatchObject({ state: 'delivered', attempts: [{ status: 200 }] });
    expect([receiver.ids(), receiver.refused]).toEqual([['a'], []]);
  });
});
