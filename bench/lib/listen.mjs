import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { SECRET } from './fixtures.mjs';

const main = fileURLToPath(new URL('../../devtools/dist/cli/main.js', import.meta.url));

/** Starts `event-webhooks listen` on free ports. Resolves with its URL and that of the page, and `stop`. */
export async function startListen(...args) {
  const options = ['--json', '--port', '0', '--secret-file', '-', ...args];
  const child = spawn(process.execPath, [main, 'listen', ...options], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(SECRET);
  let printed = '';
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    printed += chunk;
    const line = printed.split('\n').find((each) => each.startsWith('{"listening"'));
    if (line === undefined) continue;
    child.stdout.resume();
    const { url, page } = JSON.parse(line).listening;
    return { url, page, stop: () => child.kill() };
  }
  throw new Error(`listen did not start: ${printed}`);
}
