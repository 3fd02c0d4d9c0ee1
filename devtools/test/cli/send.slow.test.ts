import { describe, expect, test } from 'vitest';
import { tamperNames } from '../../src/cli/send/tamper.js';
import { serve } from '../servers.js';
import { receiver } from './receiver.js';
import { inProcess, jsonLines, SECRET, scratch, ways } from './tool.js';

const env = { WEBHOOK_SECRET: SECRET };

describe.each(ways)('send ($way)', ({ tool }) => {
  test('sends a signed sample that a receiver takes', async () => {
    const { url, handled } = await receiver();
    const { code, stdout, stderr } = await tool(['send', url], { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^#1 +200 accepted +[\d.]+ ms\n$/);
    expect(handled).toHaveLength(1);
  });

  test('repeats with a new event each time, or one event, which is handled once', async () => {
    const { url, handled } = await receiver();
    const { code, stdout } = await tool(['send', url, '--repeat', '5', '--json'], { env });
    expect(code).toBe(0);
    expect(handled).toHaveLength(5);
    const lines = jsonLines(stdout);
    expect(lines).toHaveLength(6);
    expect(lines[4]).toMatchObject({ delivery: { id: '5', target: url, status: 200, verdict: 'accepted' } });
    const { summary } = lines[5];
    expect(summary).toMatchObject({ url, deliveries: 5, accepted: 5, byStatus: { 200: 5 }, interrupted: false });
    const { min, p50, p99, max } = summary.latencyMs;
    expect([min, p50, p99, max]).toEqual([min, p50, p99, max].sort((a, b) => a - b));
    expect(await tool(['send', url, '--repeat', '5', '--id', 'one'], { env })).toMatchObject({ code: 0 });
    expect(handled).toHaveLength(6);
  });
});

describe('send', () => {
  test('every tampered delivery is refused', async () => {
    const { url, handled } = await receiver();
    const { code, stdout } = await inProcess(['send', url, '--tamper', 'all', '--json'], { env });
    const lines = jsonLines(stdout);
    expect(lines.slice(0, -1).map(({ delivery: { tamper, status } }) => [tamper, status])).toEqual(
      tamperNames.map((each) => [each, 403]),
    );
    expect(lines.at(-1)).toMatchObject({ summary: { deliveries: tamperNames.length, refused: tamperNames.length } });
    expect({ code, handled }).toEqual({ code: 0, handled: [] });
  });

  test('an accepted tampered delivery is a failure', async () => {
    const { url } = await receiver({ toleranceSeconds: false });
    const { code, stdout } = await inProcess(['send', url, '--tamper', 'stale', '--tamper', 'body'], { env });
    expect(code).toBe(1);
    expect(stdout).toMatch(/#1 +200 accepted {2}stale .*should have been refused\n#2 +403 refused {3}body/);
    expect(stdout).toContain('1 tampered deliveries were accepted');
  });

  test('sends the bytes of a file, and of stdin, exactly as they are', async () => {
    const { url, requests } = await receiver();
    const body = Buffer.from([0xef, 0xbb, 0xbf, 0x5b, 0x0d, 0x0a, 0x00, 0xff, 0x5d, 0x0a]);
    const file = await (await scratch())('body.json', body);
    expect(await inProcess(['send', url, '--file', file], { env })).toMatchObject({ code: 1 });
    expect(await inProcess(['send', url, '--file', '-'], { env, stdin: body })).toMatchObject({ code: 1 });
    expect(requests.map((each) => each.body)).toEqual([body, body]);
  });

  test('shows progress on a terminal in place of more than twenty lines', async () => {
    const { url } = await receiver();
    const { stdout } = await inProcess(['send', url, '--repeat', '21'], { env, terminal: true });
    expect(stdout).not.toContain('#1');
    expect(stdout).toContain('1/21  1 accepted');
  });

  test('breaks a body without digits too, and reserializes only JSON', async () => {
    const { url } = await receiver();
    const send = async (how: string, stdin: string) =>
      inProcess(['send', url, '--file', '-', '--tamper', how], { env, stdin });
    expect(await send('body', '[]')).toMatchObject({ code: 0 });
    expect(await send('reserialized', '[')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--tamper reserialized needs a JSON body.'),
    });
  });
});

describe('a receiver that is no good', () => {
  test('one that answers nothing, hangs up, or redirects has failed, and is not followed', async () => {
    let followed = 0;
    const elsewhere = await serve((_, response) => {
      followed++;
      response.end();
    });
    const url = await serve((request, response) => {
      if (request.url === '/silent') return;
      if (request.url === '/rude') return void request.socket.destroy();
      response.writeHead(307, { Location: `${elsewhere}/\u001b[31m`.replace('\u001b', '%1b') }).end();
    });
    const run = (path: string) => inProcess(['send', url + path, '--timeout', '0.1'], { env });
    expect(await run('/silent')).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/ETIMEDOUT failed .* there was no response in time/),
    });
    expect(await run('/rude')).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/ECONNRESET failed .* the connection was closed before a response/),
    });
    const { code, stdout } = await run('/moved');
    expect({ code, followed }).toEqual({ code: 1, followed: 0 });
    expect(stdout).toMatch(/307 failed .*→ http:.* \(not followed\)/);
  });

  test('an answer without end is not read to its end', async () => {
    let closed = () => {};
    const done = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const url = await serve((request, response) => {
      request.resume();
      response.writeHead(500);
      const more = () => {
        while (response.write('x'.repeat(10_000)));
      };
      response.on('drain', more).on('close', closed);
      more();
    });
    const { code, stdout } = await inProcess(['send', url, '--json'], { env });
    expect(code).toBe(1);
    expect(jsonLines(stdout)[0].delivery.answer.length).toBeLessThanOrEqual(16 * 1024);
    await done;
  });

  test('what it answers is shown harmlessly, and a secret that it knows is not', async () => {
    const url = await serve((request, response) => {
      request.resume();
      response.writeHead(403).end(`\u001b[2J\u202eno\u0007\n${SECRET} \u009b31m`);
    });
    for (const { tool } of ways) {
      const { stdout } = await tool(['send', url], { env });
      expect(stdout).toContain('\\e[2J\\u{202e}no\\u{0007}\\n[secret] \\u{009b}31m');
      const { stdout: json } = await tool(['send', url, '--json'], { env });
      expect(json).not.toMatch(/[^\x20-\x7e\n]/);
      expect(jsonLines(json)[0].delivery.answer).toBe('\u001b[2J\u202eno\u0007\n[secret] \u009b31m');
    }
  });
});
