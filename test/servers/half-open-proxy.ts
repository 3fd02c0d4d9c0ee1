import { once } from 'node:events';
import { createServer, connect as dial, type Server, type Socket } from 'node:net';
import { type HangingPort, hangPort } from './hanging-port.js';

/** A TCP proxy in front of a server on this machine that makes connections fail in the ways that raise no error. */
export interface HalfOpenProxy {
  readonly port: number;
  /** How many connections clients have open now. */
  connections(): number;
  /** Every connection that is open now swallows the bytes of both sides from here on and stays open. New ones work. */
  goHalfOpen(): void;
  /** New connections are accepted, but swallow all bytes too, until `heal`. */
  swallowNew(): void;
  /** New connections are never established: connecting hangs, until `heal`. */
  hangConnects(): Promise<void>;
  /** Holds back all answers of the server, until `releaseAnswers`. */
  holdAnswers(): void;
  /** Hands out all that was held back. Resolves once it is written to the clients' sockets. */
  releaseAnswers(): Promise<void>;
  /** Cuts the connection in place of each of the next `times` answers: the server has done what it was asked. */
  cutAnswers(times?: number): void;
  /** Cuts every connection that is open now. New ones work. */
  cutAll(): void;
  /** How many connections were cut by `cutAnswers`. */
  cuts(): number;
  /** New connections work again, and answers are no longer cut. Half-open connections stay half-open. */
  heal(): Promise<void>;
  /** Closes everything. */
  stop(): Promise<void>;
}

interface Link {
  readonly client: Socket;
  readonly upstream: Socket;
  swallows: boolean;
  held: Buffer[];
}

/** Starts a proxy to `port` of this machine. */
export async function startHalfOpenProxy(port: number): Promise<HalfOpenProxy> {
  const links = new Set<Link>();
  let swallowsNew = false;
  let holds = false;
  let cutsLeft = 0;
  let cuts = 0;
  let hanging: HangingPort | undefined;

  function accept(client: Socket): void {
    const link: Link = { client, upstream: dial(port, '127.0.0.1'), swallows: swallowsNew, held: [] };
    const { upstream } = link;
    links.add(link);
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true);
      socket.on('error', () => {}); // 'close' follows, and ends the other side.
    }
    client.on('close', () => {
      links.delete(link);
      upstream.destroy();
    });
    // A half-open connection outlives its server.
    upstream.on('close', () => {
      if (!link.swallows) client.destroy();
    });
    client.on('data', (data) => {
      if (!link.swallows) upstream.write(data);
    });
    upstream.on('data', (data) => {
      if (link.swallows) return;
      if (cutsLeft > 0) {
        cutsLeft--;
        cuts++;
        client.destroy();
      } else if (holds) link.held.push(data);
      else client.write(data);
    });
  }

  const listen = async (on: number): Promise<Server> => {
    const listening = createServer(accept).listen(on, '127.0.0.1');
    await once(listening, 'listening');
    return listening;
  };
  let server = await listen(0);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The proxy listens on no port.');

  return {
    port: address.port,
    connections: () => links.size,
    goHalfOpen() {
      for (const link of links) {
        link.swallows = true;
        link.held = [];
      }
    },
    swallowNew() {
      swallowsNew = true;
    },
    async hangConnects() {
      server.close(); // The connections that are open stay open.
      hanging ??= await hangPort(address.port);
    },
    holdAnswers() {
      holds = true;
    },
    async releaseAnswers() {
      holds = false;
      const written = [...links].flatMap(({ client, held }) =>
        held.splice(0).map((data) => new Promise<unknown>((resolve) => client.write(data, resolve))),
      );
      await Promise.all(written);
    },
    cutAnswers(times = Number.POSITIVE_INFINITY) {
      cutsLeft = times;
    },
    cutAll() {
      for (const { client } of links) client.destroy();
    },
    cuts: () => cuts,
    async heal() {
      swallowsNew = false;
      cutsLeft = 0;
      if (hanging === undefined) return;
      await hanging.release();
      hanging = undefined;
      server = await listen(address.port);
    },
    async stop() {
      await hanging?.release();
      server.close();
      for (const { client, upstream } of links) {
        client.destroy();
        upstream.destroy();
      }
    },
  };
}
