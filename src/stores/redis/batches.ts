/** Sends a command with keys and the owner of each, and resolves to one answer for each key, in their order. */
export type Send = (keys: readonly string[], owners: readonly string[]) => Promise<readonly unknown[]>;

/** Sends keys of one owner, and resolves to one answer for each key, in their order. */
export type SendOwned = (keys: readonly string[], owner: string) => Promise<readonly unknown[]>;

/** With more, client and server would wait for each other: one prepares a large command while the other is idle. */
const MAX_CALLS = 16;

interface Call {
  readonly keys: readonly string[];
  readonly owner: string;
  resolve(answers: readonly unknown[]): void;
  reject(error: unknown): void;
}

/**
 * Joins the calls that are made before the current microtasks end into one command, up to {@link MAX_CALLS}, because a
 * small command spends most of its time in the client and the socket.
 */
export function inBatches(send: Send): SendOwned {
  let waiting: Call[] = [];

  async function flush(): Promise<void> {
    const calls = waiting;
    waiting = [];
    if (calls.length === 0) return;
    try {
      const answers = await send(...joined(calls));
      let start = 0;
      for (const { keys, resolve } of calls) {
        const end = start + keys.length;
        resolve(answers.slice(start, end));
        start = end;
      }
    } catch (error) {
      for (const { reject } of calls) reject(error);
    }
  }

  return (keys, owner) =>
    new Promise((resolve, reject) => {
      const count = waiting.push({ keys, owner, resolve, reject });
      if (count === 1) queueMicrotask(flush);
      if (count === MAX_CALLS) void flush();
    });
}

function joined(calls: readonly Call[]): [keys: string[], owners: string[]] {
  const keys: string[] = [];
  const owners: string[] = [];
  for (const call of calls) {
    for (const key of call.keys) {
      keys.push(key);
      owners.push(call.owner);
    }
  }
  return [keys, owners];
}
