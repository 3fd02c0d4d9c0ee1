import { createConnection } from 'node:net';

/** A server that a test has for itself, and can do to what happens to servers. */
export interface TestServer {
  readonly url: string;
  readonly port: number;
  /** As the kernel kills a process: nothing is flushed, nobody is told. */
  kill(): Promise<void>;
  /** Starts it again on the files that it had, after `kill`. */
  restart(): Promise<void>;
  /** It stays connected and answers nothing, until `resume`. */
  pause(): void;
  resume(): void;
  /** Stops it for good and removes its files. */
  stop(): Promise<void>;
}

/** Resolves once nothing listens on a port of this machine. */
export async function untilClosed(port: number): Promise<void> {
  for (;;) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = createConnection(port, '127.0.0.1');
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
    if (!open) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
