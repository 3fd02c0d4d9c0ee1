import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import type { State } from '../../../devtools/src/service/state.js';
import { fileStorage } from '../../../devtools/src/service/storage.js';
import { ConfigError } from '../../../src/errors.js';
import { check, partsOf, type Target } from '../target.js';
import { temporaryDirectory } from '../temporary.js';

const file = join(temporaryDirectory(), 'service');
let whole: Buffer = Buffer.alloc(0);
let before = '';

/** How much there is of everything. */
const amounts = ({ webhooks }: State): string =>
  [...webhooks.values()].map(({ deliveries, record }) => `${record.label}: ${deliveries.size}`).join();

async function setup(): Promise<void> {
  const storage = await fileStorage(file);
  const fixed = { url: 'https://example.com/', subscriptions: [], createdAt: '', updatedAt: '', failedCalls: 0 };
  for (const id of [1, 2]) {
    storage.commit({ type: 'webhook', webhook: { ...fixed, id, label: `webhook ${id}`, secret: 'whsec-test' } });
  }
  storage.commit({ type: 'key', key: 'key' });
  const body = Buffer.from('[{"id":"a"}]');
  const to = (id: number) => [1, 2].map((webhookId) => ({ id: 2 * id + webhookId, webhookId, firstEvent: id + 1 }));
  const batches = Array.from({ length: 5 }, (_, id) => ({ body, events: 1, to: to(id) }));
  storage.commit({ type: 'emitted', at: 1, batches });
  storage.commit({
    type: 'progress',
    id: 1,
    webhookId: 1,
    attempts: [{ at: 1, headers: [] }],
    failures: 1,
    state: 'pending',
    nextAttemptAt: 7,
  });
  before = amounts(storage.state);
  storage.close();
  whole = readFileSync(file);
}

/** Three bytes each: where, in a file of less than 64 kB, and the byte that is there. */
function patched(patches: Buffer): Buffer {
  const bytes = Buffer.from(whole);
  for (let at = 0; at + 2 < patches.length; at += 3) {
    bytes[patches.readUInt16BE(at) % bytes.length] = patches.readUInt8(at + 2);
  }
  return bytes;
}

const COLUMNS = ['settings.name', 'settings.value', 'webhooks.record', 'bodies.body', 'deliveries.progress'].concat(
  ['events', 'first_event', 'created_at', 'body_id', 'webhook_id'].map((name) => `deliveries.${name}`),
);

/** Another value in the first row of a table: text that may not be UTF-8, or a number. */
function change(column: string, value: Buffer): void {
  const [table, name] = column.split('.');
  const database = new Database(file);
  try {
    const text = String(value);
    const type = /^-?\d{1,18}$/.test(text) ? 'INTEGER' : name === 'body' ? 'BLOB' : 'TEXT';
    const which = table === 'settings' ? `name = 'event'` : 'id = 1';
    const change = `UPDATE ${table} SET ${name} = CAST(x'${value.toString('hex')}' AS ${type}) WHERE ${which}`;
    database.exec(`PRAGMA foreign_keys = OFF; ${change}`);
  } catch {
    // A value that the table refuses.
  } finally {
    database.close();
  }
}

/** Opens the file: what is in it, or why it was refused. */
async function open(): Promise<string | ConfigError> {
  try {
    const storage = await fileStorage(file);
    const found = amounts(storage.state);
    storage.close();
    return found;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error;
  }
}

/** `bytes` and patches of the file, or the name of a column and a value for it. */
export const target: Target = {
  seeds: [
    'bytes\n',
    'bytes\n\x00\x12\x02\x10\x00\x00',
    'bytes\n\x20\x03\x02',
    ...COLUMNS.map((column) => `${column}\n7`),
    'deliveries.progress\n{"attempts":[{"at":1,"headers":[["a","b"]],"status":200}],"failures":0,"state":"delivered","once":true}',
    'webhooks.record\n{"id":1,"url":"https://a/","label":"webhook 1","secret":"s","subscriptions":["event.emitted"],"createdAt":"","updatedAt":"","failedCalls":0}',
  ],
  dictionary: [
    ...COLUMNS,
    'bytes\n',
    '\xff',
    '"state":"given-up"',
    '"nextAttempt":""',
    '"tampered":{"at":1,"sent":255}',
    '9007199254740992',
    '-1',
  ],
  mostBytes: 600,
  mostMs: 5000,
  isNative: true,
  setup,
  async run(input) {
    const [kind, rest = input] = partsOf(input, 2);
    // Another file each time: a damaged one stays locked until the connection to it is garbage-collected.
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(file + suffix, { force: true });
    const name = String(kind);
    writeFileSync(file, name === 'bytes' ? patched(rest) : whole, { mode: 0o600 });
    if (COLUMNS.includes(name)) change(name, rest);
    const found = await open();
    if (found instanceof ConfigError) return check(found.message.includes(file), 'a refusal names the file');
    check(found.replace(/.*?: /g, '') === before.replace(/.*?: /g, ''), 'no webhook and no delivery is lost');
    check((await open()) === found, 'the file is the same when it is opened again');
  },
};
