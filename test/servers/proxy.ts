import { once } from 'node:events';
import { type AddressInfo, createServer, connect as dial, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { hangPort } from './hanging-port.js';

/** A TCP proxy in front of a server on this machine that makes connections fail. */
export type FailingProxy = Awaited<ReturnType<typeof startProxy>>;

interface Link {
  readonly client: Socket;
  readonly upstream: Socket;
  swallows: boolean;
}

/** The bytes that a Postgres sends to a connection when it shuts down. */
const ENDING = (() => {
  const fields = 'SFATAL\0VFATAL\0C57P01\0Mterminating connection due to unexpected postmaster exit\0\0';
  const message = Buffer.alloc(5 + fields.length);
  message.write('E');
  message.writeInt32BE(4 + fields.length, 1);
  message.write(fields, 5);
  return message;
})();
/** The bytes that a Postgres sends when it is ready for a query, outside a transaction. */
const READY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

/** Starts a proxy to `port` of this machine, until the test ends. */
export async function startProxy(port: number) {
  const links = new Set<Link>();
  let swallowsNew = false;
  let cutsNext = false;
  let hasCut = false;
  let isEnding = false;
  let armed: { text: RegExp; deliver: boolean } | undefined;
  /** How many messages pass until all connections are cut for good. */
  let left = Number.POSITIVE_INFINITY;
  let isLastDelivered = false;
  let hanging: Awaited<ReturnType<typeof hangPort>> | undefined;

  function accept(client: Socket): void {
    client.on('error', () => {}); // 'close' follows, and ends the other side.
    if (left < 0) return void client.destroy();
    const upstream = dial(port, '127.0.0.1').on('error', () => {});
    const link: Link = { client, upstream, swallows: swallowsNew };
    links.add(link);
    for (const socket of [client, upstream]) socket.setNoDelay(true);
    client.on('close', () => {
      links.delete(link);
      upstream.destroy();
    });
    // A half-open connection outlives its server.
    upstream.on('close', () => {
      if (!link.swallows) client.destroy();
    });
    client.on('data', (data) => {
      if (!link.swallows) ask(link, data);
    });
    upstream.on('data', (data) => {
      if (!link.swallows) answer(client, data);
    });
  }

  function ask({ client, upstream }: Link, data: Buffer): void {
    if (--left < 0) {
      if (left === -1 && isLastDelivered) upstream.end(data);
      for (const link of links) {
        link.client.destroy();
        if (link.upstream !== upstream) link.upstream.destroy();
      }
      return;
    }
    if (!armed?.text.test(data.toString('latin1'))) return void upstream.write(data);
    const { deliver } = armed;
    armed = undefined;
    client.destroy();
    if (deliver) upstream.end(data);
  }

  function answer(client: Socket, data: Buffer): void {
    if (cutsNext) {
      cutsNext = false;
      hasCut = true;
      client.destroy();
    } else if (isEnding && data.subarray(-READY.length).equals(READY)) client.end(Buffer.concat([data, ENDING]));
    else client.write(data);
  }

  const listen = async (on: number): Promise<Server> => {
    const listening = createServer(accept).listen(on, '127.0.0.1');
    await once(listening, 'listening');
    return listening;
  };
  let server = await listen(0);
  const { port: own } = server.address() as AddressInfo;

  onTestFinished(async () => {
    await hanging?.release();
    server.close();
    for (const { client, upstream } of links) {
      client.destroy();
      upstream.destroy();
    }
  });
  return {
    port: own,
    /** Every connection that is open now swallows the bytes of both sides from here on and stays open. New ones work. */
    goHalfOpen() {
      for (const link of links) link.swallows = true;
    },
    /** New connections are accepted, but swallow all bytes too, until `heal`. */
    swallowNew() {
      swallowsNew = true;
    },
    /** New connections are never established: connecting hangs, until `heal`. */
    async hangConnects() {
      server.close(); // The connections that are open stay open.
      hanging ??= await hangPort(own);
    },
    /** New connections work again. Half-open connections stay half-open. */
    async heal() {
      swallowsNew = false;
      if (hanging === undefined) return;
      await hanging.release();
      hanging = undefined;
      server = await listen(own);
    },
    /** Cuts the connection in place of the next answer: the server has done what it was asked. */
    cutAnswer() {
      cutsNext = true;
    },
    hasCutAnswer: () => hasCut,
    /** Cuts the connection of the next message that contains a text. With `deliver`, the server gets the message. */
    cutAt(text: string, deliver: boolean) {
      // The settings of MySQL include autocommit.
      armed = { text: new RegExp(`(?<!auto)(?:${text})`, 'i'), deliver };
    },
    /** From this message on, counted from 1, all connections are cut. With `deliver`, the server gets that message. */
    dieAt(message: number, deliver: boolean) {
      left = message - 1;
      isLastDelivered = deliver;
    },
    isDead: () => left < 0,
    /** From now on, a Postgres ends every connection as soon as it is ready. */
    endWhenReady(does: boolean) {
      isEnding = does;
    },
  };
}
