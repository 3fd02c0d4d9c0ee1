/** A key, and the arguments that are its own. */
export interface Asked {
  readonly key: string;
  readonly own: readonly string[];
}

/** Sends a command, and resolves to one answer for each key, in their order. */
export type Send = (asked: readonly Asked[]) => Promise<readonly unknown[]>;

/** With more, client and server would wait for each other: one prepares a large command while the other is idle. */
const MAX_CALLS = 16;

interface Call {
  readonly asked: readonly Asked[];
  resolve(answers: readonly unknown[]): void;
  reject(error: unknown): void;
}

/**
 * Joins the calls that are made before the current microtasks end into one command, up to {@link MAX_CALLS}, because a
 * small command spends most of its time in the client and the socket.
 */
export function inBatches(send: Send): Send {
  let waiting: Call[] = [];

  async function flush(): Promise<void> {
    const calls = waiting;
    waiting = [];
    if (calls.length === 0) return;
    try {
      const answers = await send(calls.flatMap(({ asked }) => asked));
      let start = 0;
      for (const { asked, resolve } of calls) {
        const end = start + asked.length;
        resolve(answers.slice(start, end));
        start = end;
      }
    } catch (error) {
      for (const { reject } of calls) reject(error);
    }
  }

  return (asked) =>
    new Promise((resolve, reject) => {
      const count = waiting.push({ asked, resolve, reject });
      if (count === 1) queueMicrotask(flush);
      if (count === MAX_CALLS) void flush();
    });
}
