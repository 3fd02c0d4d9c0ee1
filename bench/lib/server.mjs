import { fork } from 'node:child_process';
import { once } from 'node:events';

/** Starts a server of one kind in a child process; `ask` puts one of its questions to it. */
export async function startServer(kind) {
  const child = fork(new URL('../children/server.mjs', import.meta.url), [kind], { execArgv: ['--expose-gc'] });
  const failed = once(child, 'exit').then(([code]) => {
    throw new Error(`The server "${kind}" ended with ${code}.`);
  });
  // Whoever waits for an answer is told; nobody may be waiting when the child is stopped.
  failed.catch(() => {});
  const [{ port }] = await Promise.race([once(child, 'message'), failed]);
  return {
    port,
    async ask(question) {
      child.send(question);
      const [answer] = await Promise.race([once(child, 'message'), failed]);
      return answer;
    },
    stop: () => child.disconnect(),
  };
}
