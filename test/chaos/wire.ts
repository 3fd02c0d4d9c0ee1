import { once } from 'node:events';
import { createServer, connect as dial, type Socket } from 'node:net';

/** One connection of a process to a server. */
export interface Link {
  /** Cuts it. */
  cut(): void;
  /** Leaves it open, and swallows what comes from either side from here on. */
  goHalfOpen(): void;
  /** Gives the process an answer that was held back. */
  hand(answer: Buffer): void;
  /** The port from which the server sees it come. */
  readonly port: number | undefined;
}

/** A TCP proxy between one process and a server. Unlike that of ../servers it strikes at one process and one answer. */
export type Wire = Awaited<ReturnType<typeof startWire>>;

interface Trap {
  readonly side: 'request' | 'answer';
  readonly request: RegExp;
  readonly strike: (link: Link, bytes: Buffer) => void;
}

export async function startWire(server: { readonly url: string; readonly port: number }) {
  const links = new Set<Link>();
  let trap: Trap | undefined;

  function accept(client: Socket): void {
    const upstream = dial(server.port, '127.0.0.1');
    let isSwallowing = false;
    /** What was set when this connection asked for what it waits for. */
    let asked: Trap | undefined;
    const link: Link = {
      cut: () => void client.destroy(),
      goHalfOpen() {
        isSwallowing = true;
      },
      hand: (answer) => void client.write(answer),
      get port() {
        return upstream.localPort;
      },
    };
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
    upstream.on('close', () => isSwallowing || client.destroy());
    client.on('data', (data) => {
      if (isSwallowing) return;
      if (trap?.request.test(data.toString('latin1'))) asked = trap;
      if (trap === undefined || asked !== trap || trap.side === 'answer') {
        upstream.write(data);
        return;
      }
      trap = undefined;
      asked.strike(link, data);
    });
    upstream.on('data', (data) => {
      if (isSwallowing) return;
      if (asked === undefined || asked !== trap || asked.side === 'request') {
        client.write(data);
        return;
      }
      trap = undefined;
      asked.strike(link, data);
    });
  }

  const listening = createServer(accept).listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const address = listening.address();
  if (address === null || typeof address === 'string') throw new Error('The wire listens on no port.');
  const url = new URL(server.url);
  url.port = String(address.port);

  return {
    /** The server's, as it is reached through the wire. */
    url: url.href,
    links,
    /** Has the next request that looks like this, or the answer to it, given to `strike` in place of handing it on. */
    trap(side: Trap['side'], request: RegExp, strike: Trap['strike']) {
      const own = { side, request, strike };
      trap = own;
      return () => {
        if (trap === own) trap = undefined;
      };
    },
    stop() {
      listening.close();
      for (const link of links) link.cut();
    },
  };
}
