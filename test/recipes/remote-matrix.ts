import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { sampleTransactionIncluded } from '../../src/testing/index.js';
import { NO_DELIVERIES, UNKNOWN_ITEM } from '../matrix/cases/contents.js';
import { FORGERIES } from '../matrix/cases/forgeries.js';
import {
  oddlyCased,
  REFUSED_ENCODINGS,
  REFUSED_METHODS,
  ROUGH_WINDOW,
  refusedHeaders,
  TAKEN_ENCODINGS,
} from '../matrix/cases/headers.js';
import { headersOf, sign } from '../matrix/deliveries.js';
import { type Answer, chunked, piecesOf, Wire } from '../matrix/wire.js';
import { expectOurs, type Remote, signed } from './remote.js';

/** What a host does in place of the receiver: its own status, or the end of the connection without one; or either. */
export interface HostAnswer {
  readonly status: number | 'closed' | readonly (number | 'closed')[];
  /** Completes the title: "…: <status>, because <why>". */
  readonly why: string;
}

/** By the title of the case. */
export type HostAnswers = ReadonlyMap<string, HostAnswer>;

type Outcome = Answer | undefined;

const CHUNKED = ['Transfer-Encoding', 'chunked'] as const;
const MIB = 1024 * 1024;

/** The cases of the matrix that make sense for an application that runs elsewhere, with the default `toleranceSeconds`. */
export function remoteMatrix(remote: Remote, hostAnswers: HostAnswers = new Map()): void {
  const met = new Set<string>();

  function hostAnswerOf(title: string): HostAnswer | undefined {
    met.add(title);
    return hostAnswers.get(title);
  }

  const titled = (title: string, host: HostAnswer | undefined) =>
    host === undefined ? title : `${title}: ${[host.status].flat().join(' or ')}, because ${host.why}`;

  /** A case that is refused with a status, by the receiver unless the host is known to be first. */
  function refuses(title: string, status: number, act: () => Promise<Outcome | readonly Outcome[]>): void {
    const host = hostAnswerOf(title);
    it(titled(title, host), async () => {
      for (const answer of [await act()].flat()) {
        if (host !== undefined) {
          expect([host.status].flat()).toContain(answer?.status ?? 'closed');
          continue;
        }
        expectOurs(answer, status);
        if (status === 405) expect(answer?.headers.get('allow')).toBe('POST');
      }
      // Whatever became of it, the next one is taken.
      expectOurs(await remote.post(remote.toTake()), 200);
    });
  }

  const inChunks = (delivery: ReturnType<typeof signed>, size: number) =>
    remote.send(remote.head([...headersOf(delivery), CHUNKED]), chunked(piecesOf(delivery.body, size)));

  describe('authenticity', () => {
    it('takes a genuine event.emitted and a transaction.included', async () => {
      expectOurs(await remote.post(remote.toTake()), 200);
      expectOurs(await remote.post(remote.toTake(sampleTransactionIncluded())), 200);
    });
    it('takes a signature in upper case', async () => {
      const delivery = remote.toTake();
      expectOurs(await remote.post({ ...delivery, signature: delivery.signature.toUpperCase() }), 200);
    });
    for (const [title, forge] of FORGERIES) {
      refuses(`refuses ${title}`, 403, async () => remote.post(await forge(remote.toRefuse(), signed)));
    }
    it.each(ROUGH_WINDOW)('%s what is %s toleranceSeconds allows', async (_verb, _age, seconds, status) => {
      const { body } = status === 200 ? remote.toTake() : remote.toRefuse();
      const timestamp = String(Math.floor(Date.now() / 1000) + seconds);
      expectOurs(await remote.post(sign(body, { timestamp })), status);
    });
  });

  describe('headers', () => {
    refusedHeaders({ body: new Uint8Array(0), signature: '', timestamp: '' }).forEach(([title], at) => {
      refuses(`refuses headers with ${title}`, 403, () => {
        const delivery = remote.toRefuse();
        return remote.post(delivery, refusedHeaders(delivery)[at]?.[1]);
      });
    });
    it('takes header names in any case', async () => {
      const delivery = remote.toTake();
      expectOurs(await remote.post(delivery, oddlyCased(delivery)), 200);
    });
  });

  describe('content', () => {
    for (const [title, body] of NO_DELIVERIES) {
      refuses(`answers 400 to an authentic body that is ${title}`, 400, () => remote.post(signed(body)));
    }
    it('takes an empty array, and an item of a kind that it does not know', async () => {
      expectOurs(await remote.post(signed('[]')), 200);
      expectOurs(await remote.post(remote.toTake(UNKNOWN_ITEM)), 200);
    });
  });

  describe('body', () => {
    refuses('refuses a missing body, even with a signature for nothing', 403, async () => [
      await remote.send(remote.head([...headersOf(remote.toRefuse()), ['Content-Length', '0']])),
      await remote.send(remote.head([...headersOf(signed('')), ['Content-Length', '0']])),
    ]);
    refuses('refuses an empty body in chunks', 403, () =>
      remote.send(remote.head([...headersOf(signed('')), CHUNKED]), chunked([])),
    );
    it('takes a body in chunks, and one in 20 000 chunks of one byte', async () => {
      expectOurs(await inChunks(remote.toTake(), 100), 200);
      expectOurs(await inChunks(remote.ofSize(20_000, 'taken'), 1), 200);
    });
    it('takes a body from a sender that first asks whether to send it', async () => {
      const delivery = remote.toTake();
      expectOurs(await remote.post(delivery, [...headersOf(delivery), ['Expect', '100-continue']]), 200);
    });
    it.each([2, 9])('takes %s MB, with a length and in chunks', async (megabytes) => {
      expectOurs(await remote.post(remote.ofSize(megabytes * 1_000_000, 'taken')), 200);
      expectOurs(await inChunks(remote.ofSize(megabytes * 1_000_000, 'taken'), 60_000), 200);
    });
    refuses('answers 413 to a sender of 20 MB who sends on regardless', 413, () =>
      remote.post(remote.ofSize(20 * MIB, 'refused')),
    );
    refuses('answers 413 to 20 MB in chunks', 413, () => inChunks(remote.ofSize(20 * MIB, 'refused'), 60_000));
    it('refuses a body that is longer than its Content-Length says', async () => {
      const delivery = remote.toRefuse();
      const length = ['Content-Length', String(delivery.body.length - 1)] as const;
      // The byte too many is no request: the host may answer to it, with 400, before the delivery is.
      const answer = await remote.send(remote.head([...headersOf(delivery), length]), delivery.body);
      expect([400, 403]).toContain(answer?.status);
      expectOurs(await remote.post(remote.toTake()), 200);
    });
    it.each(['cut', 'end'] as const)(
      'survives a sender who leaves half way (%s), and takes the next one',
      async (how) => {
        const wire = await Wire.open(remote.port);
        await wire.send(remote.framed(remote.toRefuse()).subarray(0, -100));
        wire[how]();
        await wire.closed();
        expectOurs(await remote.post(remote.toTake()), 200);
      },
    );
    for (const coding of REFUSED_ENCODINGS) {
      refuses(`answers 415 to Content-Encoding ${coding}`, 415, () => {
        const delivery = signed(gzipSync(remote.toRefuse().body));
        return remote.post(delivery, [...headersOf(delivery), ['Content-Encoding', coding]]);
      });
    }
    it.each(TAKEN_ENCODINGS)('takes Content-Encoding "%s"', async (coding) => {
      const delivery = remote.toTake();
      expectOurs(await remote.post(delivery, [...headersOf(delivery), ['Content-Encoding', coding]]), 200);
    });
  });

  describe('method', () => {
    for (const method of REFUSED_METHODS) {
      refuses(`answers 405 with Allow to ${method}`, 405, () => {
        const delivery = remote.toRefuse();
        return remote.send(remote.framed(delivery, headersOf(delivery), method));
      });
    }
    refuses('answers 405 to a GET without a body', 405, () => remote.send(remote.head([], 'GET')));
  });

  describe('connection', () => {
    const forged = () => ({ ...remote.toRefuse(), signature: '0'.repeat(64) });

    it('serves genuine deliveries between refused ones on one connection', async () => {
      let wire = await Wire.open(remote.port);
      const statuses: unknown[] = [];
      const unsigned = { ...remote.toRefuse(), signature: '' };
      for (const delivery of [remote.toTake(), forged(), remote.toTake(), unsigned, remote.toTake()]) {
        await wire.send(remote.framed(delivery));
        const answer = await wire.answer();
        statuses.push(answer?.status);
        // Whoever refuses early may close, and says so.
        if (answer?.headers.get('connection') === 'close') wire = await Wire.open(remote.port);
      }
      wire.end();
      expect(statuses).toEqual([200, 403, 200, 403, 200]);
    });
  });

  describe('effects', () => {
    it('handles a delivery that is sent again once, and answers 200 both times', async () => {
      const delivery = remote.toTake();
      expectOurs(await remote.post(delivery), 200);
      expectOurs(await remote.post(delivery), 200);
    });
    it('handles a delivery that is sent eight times at the same instant once', async () => {
      const delivery = remote.toTake();
      const answers = await Promise.all(Array.from({ length: 8 }, () => remote.post(delivery)));
      // The others are sent again.
      for (const answer of answers) expect([200, 503]).toContain(answer?.status);
      expectOurs(await remote.post(delivery), 200);
    });
    it('handled once whatever was to be taken, and nothing that was to be refused', () => remote.expectEffects());
    it('deviates from cases that there are', () => {
      expect([...hostAnswers.keys()].filter((title) => !met.has(title))).toEqual([]);
    });
  });
}
