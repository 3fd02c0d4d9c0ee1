import { afterAll, beforeAll } from 'vitest';

/** A server for the tests of a describe. */
export function useServer<Server extends { stop(): unknown }>(start: () => Promise<Server>): () => Server {
  let server: Server | undefined;
  beforeAll(async () => {
    server = await start();
  }, 120_000);
  afterAll(async () => void (await server?.stop()));
  return () => server as Server;
}
