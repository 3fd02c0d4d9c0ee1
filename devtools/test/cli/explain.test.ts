import { sampleEventEmitted } from 'event-webhook-receiver/testing';
import { multibaasHeaders, signDelivery } from 'event-webhook-receiver/verify';
import { describe, expect, test } from 'vitest';
import { parseRequestDump } from '../../src/cli/explain/request-dump.js';
import { recordingLine } from '../../src/deliveries/recorded.js';
import { inProcess, OTHER_SECRET, SECRET, scratch, ways } from './tool.js';

const SECONDS = 1_700_000_000;
const env = { WEBHOOK_SECRET: SECRET };
const BODY = JSON.stringify([sampleEventEmitted({ id: '1', data: { event: { name: 'a&b' } } })]).replace(
  '&',
  '\\u0026',
);
const sign = (secret = SECRET, body = BODY) => signDelivery(body, { secret, timestamp: SECONDS });

function recording(body: string, { headers } = sign(), more: { status?: number; added?: Record<string, string> } = {}) {
  return recordingLine({
    at: SECONDS * 1000,
    method: 'POST',
    path: '/',
    headers: Object.entries({ ...headers, ...more.added }),
    body: Buffer.from(body),
    status: more.status,
  });
}

describe.each(ways)('explain ($way)', { timeout: 30_000 }, ({ tool }) => {
  test('recognizes an authentic delivery, at the time of the recording', async () => {
    const file = await (await scratch())('r', recording(BODY));
    expect(await tool(['explain', '--recording', file], { env })).toEqual({
      code: 0,
      stdout:
        'Authentic: the signature matches and the timestamp is fresh.\nIf a receiver refused it, its secret, headers, clock or body differ from what was given here.\n',
      stderr: '',
    });
  });

  test('takes a whole request from stdin', async () => {
    const { signature, timestamp } = signDelivery(BODY, { secret: SECRET, timestamp: SECONDS });
    const head = `POST /hooks HTTP/1.1\r\n${multibaasHeaders.signature}: ${signature}\r\n${multibaasHeaders.timestamp}: ${timestamp}`;
    const stdin = `${head}\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}\n`;
    const args = ['explain', '--now', String(SECONDS)];
    const { code, stderr } = await tool([...args, '--headers', 'multibaas'], { env, stdin });
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'note: 1 bytes beyond Content-Length were ignored.\n' });
    expect(await tool(args, { env, stdin })).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(
        /came as X-MultiBaas-….* \(certain\) headers-other-names\n {3}Fix: Set `headers: multibaasHeaders`/,
      ),
    });
  });
});

describe('explain', { timeout: 30_000 }, () => {
  test('takes the time at which a request came', async () => {
    const lines = Object.entries(sign().headers).map(([name, value]) => `${name}: ${value}`);
    const stdin = [...lines, '', BODY].join('\r\n');
    const args = ['explain', '--json'];
    for (const now of [String(SECONDS + 1), String(SECONDS * 1000), '2023-11-14T22:13:21Z']) {
      const { code, stdout } = await inProcess([...args, '--now', now], { env, stdin });
      expect({ code, ...JSON.parse(stdout) }).toEqual({ code: 0, authentic: true, findings: [] });
    }
    const { code, stdout } = await inProcess(args, { env, stdin });
    expect(code).toBe(1);
    expect(JSON.parse(stdout).findings).toEqual([expect.objectContaining({ cause: 'timestamp-stale' })]);
    expect(await inProcess([...args, '--now', 'soon'], { env, stdin })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--now must be a time: Unix'),
    });
  });

  test('shows how the body differs from the one that was signed', async () => {
    const file = await scratch();
    const recorded = await file('r', recording(BODY.replace('"id":"1"', '"id":"2"')));
    const signed = await file('signed.json', BODY);
    const args = ['explain', '--recording', recorded, '--nth', '1', '--signed', signed];
    const { code, stdout } = await inProcess(args, { env });
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^Refused because:[\s\S]*\n\nSigned \d+ bytes, .* differ:\n {2}from byte \d+, .*\n {4}signed {4}"1" {2}31\n {4}received {2}"2" {2}32\n$/,
    );
    const { difference } = JSON.parse((await inProcess([...args, '--json'], { env })).stdout);
    expect(difference).toMatchObject({ kind: 'bytes', signed: { text: '1' } });
  });

  test('knows the secrets of other webhooks by their labels', async () => {
    const file = await scratch();
    const old = await file('old', `${OTHER_SECRET}\n`);
    const delivery = await file('r', recording(BODY, sign(OTHER_SECRET)));
    const args = ['explain', '--recording', delivery, '--json'];
    const mine = await file('mine', SECRET);
    const odd = [...args, '--secret-file', mine, '--other-secret-file', `or=ders=${old}`];
    expect(await inProcess(odd, { env })).toMatchObject({ code: 2, stdout: '' });
    const other = await inProcess([...args, '--secret-file', mine, '--other-secret-file', `orders=${old}`]);
    expect(JSON.parse(other.stdout).findings[0]).toMatchObject({
      cause: 'secret-of-another-webhook',
      confidence: 'certain',
    });
    expect(other.stdout).toContain('orders');
    expect(await inProcess([...args, '--secret-file', mine, '--secret-file', old])).toMatchObject({ code: 0 });
  });
});

describe('what a receiver refuses although it is authentic', () => {
  const dump = (body: string, { method = 'POST', ...added }: Record<string, string> = {}) => {
    const lines = Object.entries({ ...sign(SECRET, body).headers, ...added }).map(
      ([name, value]) => `${name}: ${value}`,
    );
    return [`${method} /hooks HTTP/1.1`, ...lines, '', body].join('\r\n');
  };

  test.each([
    ['the method PUT', dump(BODY, { method: 'PUT' }), 405, /Send deliveries with POST/],
    ['an incomplete body', dump(BODY, { 'Content-Length': '99999' }), 503, /incomplete: \d+ of 99999 bytes/],
    ['a large body', dump(`["${'x'.repeat(10 * 1024 * 1024)}"]`), 413, /larger than 10485760 bytes/],
    ['another encoding', dump(BODY, { 'Content-Encoding': 'gzip' }), 415, /compressed/],
    ['no array', dump('{}'), 400, /not a JSON array/],
    ['an invalid event', dump('[{"id":"1","event":"event.emitted","data":{}}]'), 422, /Not a valid event/],
  ])('%s', { timeout: 60_000 }, async (_, stdin, status, says) => {
    const { code, stdout } = await inProcess(['explain', '--now', String(SECONDS)], { env, stdin });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^Refused because:\n\n1\. /);
    expect(stdout).toMatch(says);
    expect(stdout).toContain(`A receiver answers ${status}`);
    expect(stdout.match(/Fix: /g)).toHaveLength(1);
  });
});

describe('a request that was saved', () => {
  const parse = (text: string) => {
    const { body, ...others } = parseRequestDump(Buffer.from(text, 'latin1'));
    return { ...others, body: Buffer.from(body).toString('latin1') };
  };

  test.each([
    ['', 'The request is empty'],
    ['A: b', 'The request has no empty line between headers and body.'],
    ['POST / HTTP/1.1\nnot a header\n\n', 'Line 2 of the request is not a header'],
  ])('is refused in another form: %j', async (stdin, says) => {
    const { code, stderr } = await inProcess(['explain'], { env, stdin });
    expect([code, stderr]).toEqual([2, expect.stringContaining(says)]);
  });

  test.each(['\r\n', '\n'])('has headers and the bytes after the empty line, with %j', (end) => {
    const text = ['POST / HTTP/1.1', 'A: one ', 'B:two:three', 'A:', '', '\u00ff\r\n\r\n\n\n'].join(end);
    const headers = [
      ['A', 'one'],
      ['B', 'two:three'],
      ['A', ''],
    ];
    expect(parse(text)).toEqual({ method: 'POST', headers, body: '\u00ff\r\n\r\n\n\n', notes: [] });
  });

  test.each([
    ['4', 'body', 'body', []],
    ['4', 'body\n', 'body', ['1 bytes beyond Content-Length were ignored.']],
    ['9', 'body', 'body', [], 'The body is incomplete: 4 of 9 bytes (Content-Length).'],
    ['x', 'body', 'body', []],
  ])('is compared with Content-Length: %s', (length, given, body, notes, incomplete?) => {
    const dump = parse(`Content-Length: ${length}\n\n${given}`);
    expect(dump).toMatchObject({ body, notes });
    expect(dump.incomplete).toBe(incomplete);
  });

  test('is taken as it is if it is chunked, with a note', () => {
    expect(parse('Transfer-Encoding: chunked\r\n\r\n3\r\nabc')).toMatchObject({
      body: '3\r\nabc',
      notes: [expect.stringContaining('without undoing Transfer-Encoding')],
    });
  });
});
