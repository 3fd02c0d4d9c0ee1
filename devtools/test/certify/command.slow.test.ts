import { nodeHandler } from 'event-webhook-receiver/node';
import { describe, expect, test } from 'vitest';
import { receiver } from '../cli/receiver.js';
import { asProcess, inProcess, jsonLines, SECRET } from '../cli/tool.js';
import { serve } from '../servers.js';
import { FAIL_ID } from './in-process.js';

const env = { WEBHOOK_SECRET: SECRET };
const chunk = Buffer.alloc(1024 * 1024, 'x');

describe('certify', () => {
  test('passes all cases over our receiver', { timeout: 60_000 }, async () => {
    let effects = 0;
    const onEvent = ({ id }: { id: string }) => {
      if (id === FAIL_ID) throw new Error('the database is down');
      effects++;
    };
    const url = await serve(nodeHandler({ secret: SECRET, onEvent }));
    const counted = await serve((_, response) => void response.end(`so far\n${effects}\n`));
    const args = ['certify', `${url}/webhooks`, '--effects', counted, '--fail-id', FAIL_ID, '--window'];
    const { code, stdout, stderr } = await inProcess(args, { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('  passed   two-logs              200; 2 effects\n');
    expect(stdout).toMatch(/^35 cases at \S+ in [\d.]+ s: 35 passed$/m);
  });

  test('counts effects by a command', { timeout: 60_000 }, async () => {
    const { url, handled } = await receiver();
    const counted = await serve((_, response) => void response.end(String(handled.length)));
    const count = `node -e "fetch('${counted}').then((r) => r.text()).then(console.log)"`;
    const { code, stdout } = await asProcess(['certify', url, '--effects', count, '--only', 'two-logs'], { env });
    expect(code).toBe(0);
    expect(stdout).toContain('200; 2 effects');
  });

  test('says that effects were not counted', async () => {
    const { url } = await receiver();
    const { code, stdout } = await inProcess(['certify', url, '--only', 'twice'], { env });
    expect(code).toBe(0);
    expect(stdout).toContain('judged by status only');
  });

  test('a server that answers without an end takes every forgery, and is not read', { timeout: 60_000 }, async () => {
    const url = await serve((request, response) => {
      request.resume();
      response.on('drain', () => response.write(chunk)).on('error', () => {});
      response.write(chunk);
    });
    const { code, stdout } = await inProcess(['certify', url, '--only', 'forged', '--json'], { env });
    expect(code).toBe(1);
    expect(jsonLines(stdout).at(-1)).toMatchObject({ summary: { failed: 11, warning: 2, passed: 1, notRun: 0 } });
  });

  test('a server that repeats the secret and the expected signature does not make it printed', async () => {
    const { url: own } = await receiver();
    const url = await serve(async (request, response) => {
      const body = Buffer.concat(await request.toArray());
      const headers = { 'x-service-signature': '', 'x-service-timestamp': '' };
      for (const name of Object.keys(headers) as (keyof typeof headers)[])
        headers[name] = String(request.headers[name] ?? '');
      const { status } = await fetch(own, { method: 'POST', body, headers });
      response.writeHead(status).end(`{"secret":"${SECRET}"}`);
    });
    const args = ['certify', url, '--only', 'other-secret', '--only', 'missing-parts'];
    const { code, stdout } = await inProcess(args, { env });
    expect(code).toBe(1);
    expect(stdout).toContain('the answer contains the secret');
  });

  test('ends with 2 without a server, without a secret, and with a wrong --effects', async () => {
    const { url } = await receiver();
    const ended = async (...args: string[]) => (await inProcess(['certify', ...args], { env })).code;
    expect(await ended('http://127.0.0.1:1/')).toBe(2);
    expect((await inProcess(['certify', url])).code).toBe(2);
    const secret = await inProcess(['certify', url, '--secret', SECRET], { env });
    expect(secret).toMatchObject({ code: 2, stderr: expect.stringContaining('Unknown option --secret.') });
    const large = await serve((_, response) => void response.end('1'.repeat(100_000)));
    for (const [effects, says] of [
      ['echo many', 'must give a whole number'],
      [large, 'must give a whole number'],
      ['exit 3', 'ended with 3'],
      ['http://127.0.0.1:1/', 'connection refused'],
      [url, 'answered 405'],
    ] as const) {
      const { code, stderr } = await inProcess(['certify', url, '--effects', effects], { env });
      expect([code, stderr]).toEqual([2, expect.stringMatching(`--effects.* ${says}`)]);
    }
    expect(await ended(url, '--effects', 'sleep 5', '--timeout', '0.1')).toBe(2);
  });

  test('lists the cases without sending', async () => {
    const { code, stdout } = await inProcess(['certify', '--list']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ {2}two-logs +Two events of one transaction/m);
    const lines = jsonLines((await inProcess(['certify', '--list', '--json'])).stdout);
    expect(lines).toHaveLength(35);
    expect(lines[0]).toMatchObject({ case: { id: 'one-event', group: 'authentic' } });
  });
});
