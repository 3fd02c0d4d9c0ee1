import { spawn } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Consumer, createConsumer } from '../package/consumer.js';
import { hasAnvil, needsAnvil } from '../servers/anvil.js';
import { untilClosed } from '../servers/server.js';
import { fences, readPage } from './pages.js';

// The commands of "Develop locally", unchanged and on the ports that they name (3000, 3001, 4000), by a project that has
// installed the package.

const page = readPage('docs/develop/index.md');
const commands = fences([page], 'sh')
  .map(({ text }) => text)
  .filter((text) => !text.startsWith('npm install'));
const server =
  fences([readPage('docs/start/five-minutes.md')], 'ts').find(({ text }) => text.startsWith('// server.ts\n'))?.text ??
  '';

/** What of the commands goes on until it is ended, and what it prints when the next may be run. */
const GOING_ON = [
  { command: /^npx event-webhooks emulate /, ready: /^Page: /m },
  // It is there when a transfer has arrived.
  { command: /node server\.mjs$/m, ready: /^Transfer \[/m },
  { command: /npx event-webhooks listen /, ready: /^Page: /m },
];

type Terminal = ReturnType<typeof terminal>;
const terminals: { end(): Promise<unknown> }[] = [];
let consumer: Consumer;

/** Runs a block of the page, of which every command has to succeed. */
function terminal(text: string) {
  const { PATH, HOME, ANVIL } = process.env;
  const child = spawn('bash', ['-ec', text], {
    cwd: consumer.root,
    env: { PATH, HOME, ...(ANVIL && { ANVIL }) },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own: npx, when it alone is ended, leaves running what it has started.
    detached: true,
  });
  let output = '';
  let isOver = false;
  let wake = () => {};
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
      wake();
    });
  }
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', (code) => {
      isOver = true;
      wake();
      resolve(code);
    });
  });
  const opened = {
    /** What it has printed. */
    get output() {
      return output;
    },
    ended,
    /** Resolves once a text that fits has been printed, with the first match. */
    async prints(pattern: RegExp): Promise<RegExpExecArray> {
      for (;;) {
        const match = pattern.exec(output);
        if (match) return match;
        if (isOver) throw new Error(`It ended without ${pattern}:\n${text}${output}`);
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    /** Ends whatever it runs. */
    end() {
      try {
        if (!isOver && child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
      } catch {
        // It has ended, and is not yet known to have.
      }
      return ended;
    },
  };
  terminals.push(opened);
  return opened;
}

describe.skipIf(!hasAnvil)(`"Develop locally"${needsAnvil}`, () => {
  beforeAll(async () => {
    consumer = await createConsumer();
    await consumer.write('server.mjs', server);
  }, 60_000);

  afterAll(async () => {
    await Promise.all(terminals.map((each) => each.end()));
    await consumer?.remove();
  }, 60_000);

  test('runs as it is written', { timeout: 300_000 }, async () => {
    expect(commands).toHaveLength(5);
    const opened: Terminal[] = [];
    for (const text of commands) {
      const here = terminal(text);
      opened.push(here);
      const goingOn = GOING_ON.find(({ command }) => command.test(text));
      if (goingOn) await here.prints(goingOn.ready);
      else expect({ text, code: await here.ended, output: here.output }).toMatchObject({ code: 0 });
    }
    const [emulate, app, sent, listen, recorded] = opened as [Terminal, Terminal, Terminal, Terminal, Terminal];

    // The service prints the address of its page, and goes on to deliver what the app takes.
    const [, address = ''] = await emulate.prints(/^Page: (\S+#token=\S+)$/m);
    expect((await fetch(address)).status).toBe(200);
    await emulate.prints(/ 200 accepted {2}Transfer {2}.* shop /);
    expect(app.output).toContain("type: 'uint256'");

    // A sample, one forgery of each kind, a load.
    expect(sent.output).toMatch(/^#1 +200 accepted /m);
    expect(sent.output).toMatch(/^(\d+) sent to \S+ in .*: \1 × 403$/m);
    expect(sent.output).toMatch(/^[1-9]\d* refused$/m);
    expect(sent.output).toMatch(/^100 accepted$/m);

    // Through `listen`, which shows it and records it; then the recording, sent again and explained.
    await listen.prints(/ 200 accepted {2}Transfer {2}.* \/webhooks /);
    expect(recorded.output.match(/^#1 +200 accepted /gm)).toHaveLength(2);
    expect(recorded.output).toMatch(/^Authentic: /m);

    // Nothing is left of it.
    const [, chain] = await emulate.prints(/^Chain: http:\/\/127\.0\.0\.1:(\d+),/m);
    await Promise.all([emulate, app, listen].map((each) => each.end()));
    for (const port of [3000, 3001, 4000, Number(chain)]) await untilClosed(port);
  });
});
