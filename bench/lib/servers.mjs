import { execFileSync } from 'node:child_process';
import { tsImport } from 'tsx/esm/api';

const load = (name) => tsImport(new URL(`../../test/servers/${name}.ts`, import.meta.url).href, import.meta.url);
const [redis, postgres, mariadb] = await Promise.all(['redis', 'postgres', 'mariadb'].map(load));

/** Why rows that need a server are skipped, or nothing. */
export const noRedis = redis.needsRedis || undefined;
export const noPostgres = postgres.needsPostgres || undefined;
export const noMariadb = mariadb.needsMariadb || undefined;

/** Gives `work` what `of` takes of a server of its own, which has each commit on disk before it answers. */
const withServer = (start, of) => async (work) => {
  const server = await start();
  try {
    return await work(of(server));
  } finally {
    await server.stop();
  }
};
export const withPostgres = withServer(postgres.startPostgres, ({ url }) => url);
export const withMariadb = withServer(mariadb.startMariadb, ({ url }) => url);
/** This one keeps nothing on disk. */
export const withRedis = withServer(redis.startRedis, ({ port }) => {
  execFileSync('redis-cli', ['-p', String(port), 'config', 'set', 'appendonly', 'no']);
  return port;
});
