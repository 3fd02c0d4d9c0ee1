import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';

const RESTART_MS = 500;

/** Starts a program; resolves when it listens. */
export type Start = (program: string, onLine?: (line: string) => void) => Promise<ChildProcess>;

/** A program that is started again whenever it ends, as a container would be. */
export interface Kept {
  kill(): void;
  /** Ends it for good. */
  stop(): Promise<void>;
}

/** Starts a program and keeps it running; resolves when it listens for the first time. */
export async function keepRunning(start: Start, program: string, onLine?: (line: string) => void): Promise<Kept> {
  let child = await start(program, onLine);
  let isStopped = false;

  async function keep(): Promise<void> {
    for (;;) {
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      do {
        if (isStopped) return;
        await setTimeout(RESTART_MS);
        // It ends at once while the database is away.
        child = await start(program, onLine).catch(() => child);
      } while (child.exitCode !== null || child.signalCode !== null);
    }
  }
  const kept = keep();

  return {
    kill: () => void child.kill('SIGKILL'),
    async stop() {
      isStopped = true;
      child.kill('SIGTERM');
      await kept;
    },
  };
}
