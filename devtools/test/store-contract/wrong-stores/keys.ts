import { storableKey } from '../../../../src/stores/storable.js';
import { RightLeaseStore } from './right-stores.js';
import type { Row, Server } from './server.js';

// Stores that change keys, so that two keys become one.

function naming(nameOf: (key: string) => string): typeof RightLeaseStore {
  return class extends RightLeaseStore {
    override nameOf(key: string) {
      return nameOf(key);
    }
  };
}

/** `VARCHAR(255)` in a database that truncates silently. */
export const CutsKeys = naming((key) => key.slice(0, 255));
/** `VARCHAR(128)` for the keys that `leasedStore` passes: the hash of a long key fits, and a long key that is not hashed does not. */
export const CutsPlainKeys = naming((key) => storableKey(key).slice(0, 128));
/** A column that is too short by one character. */
export const CutsTheLastCharacter = naming((key) => storableKey(key).slice(0, 199));
/** Keeps the end of a long key. */
export const CutsTheFirstCharacter = naming((key) => storableKey(key).slice(-199));
/** A case-insensitive collation, which is the default of MySQL and SQL Server. */
export const IgnoresCase = naming((key) => key.toLowerCase());
/** `CHAR(n)`, or input that is trimmed. */
export const TrimsKeys = naming((key) => key.trim());
/** A client library written in C. */
export const EndsKeysAtNul = naming((key) => key.split('\0')[0] ?? '');
/** Unicode normalization, like that of some file systems. */
export const NormalizesKeys = naming((key) => key.normalize('NFC'));
/** UTF-8 replaces all lone surrogates by the same character. */
export const EncodesKeys = naming((key) => Buffer.from(key, 'utf8').toString('hex'));
/** An index or a file name with a maximum length. */
export const RefusesLongKeys = naming((key) => {
  if (key.length > 1024) throw new Error('value too long for type character varying(1024)');
  return key;
});

/** `SELECT … WHERE key LIKE …`, or `KEYS` in Redis: uses the key as a pattern. */
export class TakesKeysForPatterns extends RightLeaseStore {
  override claimRow(name: string, owner: string) {
    const pattern = new RegExp(
      `^${name
        .replace(/[.+^${}()|[\]\\*?]/g, '\\$&')
        .replace(/%/g, '[^]*')
        .replace(/_/g, '[^]')}$`,
    );
    for (const known of this.server.rows.keys()) if (pattern.test(known)) return super.claimRow(known, owner);
    return super.claimRow(name, owner);
  }
}

const objects = new WeakMap<Server, Record<string, Row>>();

/** A plain object as a map: it inherits `__proto__` and `constructor`. */
export class KeepsKeysInAnObject extends RightLeaseStore {
  get table() {
    const table = objects.get(this.server) ?? {};
    objects.set(this.server, table);
    return table;
  }

  override claimRow(name: string, owner: string) {
    const row = this.table[name];
    if (row && !(row.until <= this.server.now)) return row.isDone ? 'duplicate' : 'in-progress';
    this.table[name] = { owner, isDone: false, until: this.server.now + this.leaseMs };
    return {};
  }

  override recordRow(name: string, owner: string) {
    const row = this.table[name];
    if (row && row.owner !== owner) return false;
    this.table[name] = { owner, isDone: true, until: this.server.now + this.retentionMs };
    return true;
  }
}
