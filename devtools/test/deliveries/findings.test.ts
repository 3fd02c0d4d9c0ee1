import { serviceHeaders } from 'event-webhook-receiver/verify';
import { describe, expect, it } from 'vitest';
import { explainLate } from '../../src/confined/explainer.js';
import type { HeaderLine } from '../../src/deliveries/delivery-record.js';
import type { KeptDelivery } from '../../src/deliveries/feed.js';
import { type FindingSources, findingsOf } from '../../src/deliveries/findings.js';
import { lastOf } from '../../src/deliveries/views.js';
import { explainFailure } from '../../src/explain/explain-failure.js';
import { responseOf } from './answers.js';
import { kept, SECRET, SENT } from './records.js';

const sources: FindingSources = { headers: serviceHeaders, toleranceSeconds: 300, secretOf: () => SECRET };

const refused = (attempt = {}) => kept('1', { attempt: { status: 403, ...attempt } });
const explain = async (options: Parameters<typeof explainFailure>[0]) => explainFailure(options);
const causes = async (record: KeptDelivery, changes: Partial<FindingSources> = {}) =>
  (await findingsOf(record, { ...sources, ...changes }, explain)).map(({ cause }) => cause);

describe('findingsOf', () => {
  it('finds nothing for deliveries that were accepted or not answered yet', async () => {
    expect(await causes(kept('1'))).toEqual([]);
    expect(await causes(kept('1', { attempt: { status: undefined, durationMs: undefined } }))).toEqual([]);
  });

  it('reports an authentic delivery that a receiver refused', async () => {
    expect(await causes(refused())).toEqual(['refused-though-authentic']);
  });

  it('reports it without a search if the signature was verified here', async () => {
    const record = kept('1', { verified: true, attempt: { status: 403 } });
    const never = () => Promise.reject(new Error('tried'));
    expect((await findingsOf(record, sources, never)).map(({ cause }) => cause)).toEqual(['refused-though-authentic']);
  });

  it('checks the timestamp against the time of the attempt, not the current time', async () => {
    const [stale] = await findingsOf(
      refused({ at: (SENT + 3600) * 1000, code: 'ERR_WEBHOOK_TIMESTAMP' }),
      sources,
      explain,
    );
    expect(stale?.what).toMatch(/old|stale|late/i);
    expect(await causes(refused({ at: (SENT + 299) * 1000, code: 'ERR_WEBHOOK_TIMESTAMP' }))).toEqual([]);
  });

  it('says what the verifier knows when the explainer is busy: only a mismatch is not explained', async () => {
    const headers = lastOf(refused()).headers;
    const other = (name: string, value?: string): HeaderLine[] =>
      headers.flatMap((line): HeaderLine[] => (line[0] === name ? (value ? [[name, value]] : []) : [line]));
    const first = async (attempt: object) => (await findingsOf(refused(attempt), sources, explainLate))[0]?.cause;
    expect(await first({ headers: other('X-Service-Signature') })).toBe('signature-missing');
    expect(await first({ headers: other('X-Service-Signature', 'sha256=ab') })).toBe('signature-prefixed');
    expect(await first({ headers: other('X-Service-Timestamp', '1e9') })).toBe('timestamp-reformatted');
    expect(await first({ at: (SENT + 3000) * 1000 })).toBe('timestamp-stale');
    expect(await first({ headers: other('X-Service-Signature', 'a'.repeat(64)) })).toBe('not-explained');
    expect(await first({})).toBe('refused-though-authentic');
  });

  it('finds the secret of another webhook and names its label, and tells no secret', async () => {
    const changes = { secretOf: () => 'whsec-mine', otherSecretsOf: () => ({ shop: SECRET }) };
    const findings = await findingsOf(refused(), { ...sources, ...changes }, explain);
    expect(findings[0]).toMatchObject({ confidence: 'certain' });
    expect(JSON.stringify(findings[0])).toContain('shop');
    expect(JSON.stringify(findings)).not.toContain('whsec-');
  });

  it('says that an answer was forced', async () => {
    expect(await causes(kept('1', { attempt: { status: 503, code: 'FORCED' } }))).toEqual(['answer-forced']);
  });

  it('names a fault on request first, and then what it does', async () => {
    const record = refused({ fault: 'timestamp 50 minutes old', at: (SENT + 3000) * 1000 });
    const found = await findingsOf(record, sources, explain);
    expect(found[0]).toMatchObject({ cause: 'fault-on-request', confidence: 'certain' });
    expect(found[0]?.what).toContain('timestamp 50 minutes old');
    // And not what an hour to the second would look like: a clock in another time zone.
    expect(found[1]).toMatchObject({ cause: 'timestamp-stale' });
    expect(await causes(refused({ fault: 'one byte of the body changed' }))).toEqual(['fault-on-request']);
  });

  it('warns of a receiver that accepts forged deliveries', async () => {
    expect(await causes(kept('1', { attempt: { code: 'NOT_AUTHENTIC' } }))).toEqual(['accepted-though-not-authentic']);
  });

  it('explains why it cannot search: no secret, no bytes, too many bytes', async () => {
    expect(await causes(refused(), { secretOf: () => undefined })).toEqual(['secret-unknown']);
    const attempt = { status: 403 };
    expect(await causes(kept('1', { attempt, bodyDropped: true }))).toEqual(['body-dropped']);
    const rawBody = new Uint8Array(11 * 1024 * 1024);
    expect(await causes(kept('1', { attempt, rawBody }))).toEqual(['body-too-large-to-explain']);
  });

  it('says that the signature came under the names of the other convention', async () => {
    const whole = refused({ code: 'ERR_WEBHOOK_HEADER' });
    const renamed = ([name, value]: HeaderLine): HeaderLine => [name.replace('X-Service', 'X-MultiBaas'), value];
    const attempts = whole.attempts.map((each) => ({ ...each, headers: each.headers.map(renamed) }));
    const record = { ...whole, attempts };
    const [finding, ...others] = await findingsOf(record, sources, explain);
    expect(finding?.what).toContain('came as X-MultiBaas-…');
    expect(finding?.fix).toMatch(/headers: multibaasHeaders.*--headers multibaas/);
    expect(others).toEqual([]);
  });
});

describe('findingsOf, from the answer of the app', () => {
  const said = responseOf('Mount the webhook route before express.json()');

  it('comes first, with and without a search', async () => {
    const attempt = { status: 500, response: said };
    expect(await causes(kept('1', { attempt }))).toEqual(['app-said']);
    expect(await causes(kept('1', { attempt, verified: true }))).toEqual(['app-said']);
    expect(await causes(kept('1', { attempt, bodyDropped: true }))).toEqual(['app-said', 'body-dropped']);
  });

  it('says that a body was not read, and why, of what was refused before or is recorded so', async () => {
    const headers: HeaderLine[] = [['Content-Encoding', 'br']];
    const nothing = { rawBody: new Uint8Array(0), bodyDropped: true, verified: false };
    for (const [status, code, says] of [
      [413, 'ERR_WEBHOOK_BODY_TOO_LARGE', /with 413: Mine\./],
      [415, 'ERR_WEBHOOK_CONTENT_ENCODING', /with 415 \(Content-Encoding: br\): Mine\./],
      [503, 'ERR_WEBHOOK_BODY_INCOMPLETE', /with 503: Mine\./],
    ] as const) {
      const record = kept('1', { ...nothing, attempt: { status, code, headers, reason: 'Mine.' } });
      const found = await findingsOf(record, sources, explain);
      expect(found).toMatchObject([{ cause: 'body-not-read', what: expect.stringMatching(says) }]);
      const recorded = kept('1', { ...nothing, bodyDropped: false, recorded: true, attempt: { status } });
      expect(await causes(recorded)).toEqual(['body-not-read']);
    }
    // The app answered it, and the body was dropped later.
    const answered = kept('1', { ...nothing, attempt: { status: 413 } });
    expect(await causes(answered)).toEqual(['app-limits-size', 'body-dropped']);
  });

  it('says of an authentic delivery that its content was refused', async () => {
    for (const status of [400, 422])
      expect(await causes(kept('1', { attempt: { status } }))).toEqual(['content-refused']);
    expect(await causes(kept('1', { attempt: { status: 401 } }))).toEqual(['refused-though-authentic']);
  });
});
