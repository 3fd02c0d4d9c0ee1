import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { openClient, type SqlServer } from '../client.js';

/** A directory for the files of a suite. */
export function useDirectory(): (name: string) => string {
  const directory = mkdtempSync(join(tmpdir(), 'sqlite-'));
  afterAll(() => rmSync(directory, { recursive: true }));
  return (name) => join(directory, name);
}

/** A SQLite file in place of a server, with the store's table and `effects`, a table for handlers. */
export function useFile(): SqlServer {
  const url = `file:${useDirectory()('keys.db')}`;
  let migrated = false;
  return {
    server() {
      throw new Error('SQLite has no server.');
    },
    async open(client, settings) {
      const opened = await openClient(client, url, settings);
      if (migrated) return opened;
      migrated = true;
      await opened.lease().migrate();
      await opened.run('CREATE TABLE effects (id varchar(200) NOT NULL)');
      return opened;
    },
  };
}
