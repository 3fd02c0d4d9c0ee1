import { describe, expect, it } from 'vitest';
import { expectNothingUnhandled } from '../matrix/app.js';
import { genuine } from '../matrix/deliveries.js';
import { HOSTS, type Host, serve } from './hosts.js';
import { type Gather, MANNERS, overHttp1, overHttp2, statusOverHttp1, statusOverHttp2 } from './strangers.js';

const STRANGERS = 1200;
const ROUNDS = 4;
const A_ROUND = 10;

interface Crowded extends Host {
  readonly gather: Gather;
  readonly status: typeof statusOverHttp1;
}

const CROWDS = HOSTS.flatMap((host): Crowded[] => {
  if (!host.http2) return [{ ...host, gather: overHttp1, status: statusOverHttp1 }];
  return [
    { ...host, name: `${host.name}, one connection`, gather: overHttp2(STRANGERS), status: statusOverHttp2 },
    { ...host, name: `${host.name}, 24 connections`, gather: overHttp2(STRANGERS / 24), status: statusOverHttp2 },
  ];
});

describe.each(CROWDS)('$name', ({ gather, status, ...host }) => {
  expectNothingUnhandled();

  it.each(MANNERS)(`answers 200 to 40 of 40 genuine deliveries while ${STRANGERS} strangers $name`, async (manner) => {
    const { port, refused, requests } = await serve(host);
    const crowd = await gather(port, STRANGERS, manner);
    await requests.reaches(STRANGERS);
    const statuses: (number | undefined)[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      await crowd.drip();
      statuses.push(...(await Promise.all(Array.from({ length: A_ROUND }, () => status(port, genuine())))));
    }
    expect(statuses).toEqual(Array.from({ length: ROUNDS * A_ROUND }, () => 200));
    // Those beyond maxArriving had to go, and nobody else: a genuine delivery takes one place, and gives it back.
    const codes = refused.entries.map(({ code }) => code);
    expect(codes.filter((code) => code !== 'ERR_WEBHOOK_OVERLOADED')).toEqual([]);
    expect(codes.length).toBeGreaterThanOrEqual(STRANGERS - 1000);
    expect(codes.length).toBeLessThanOrEqual(STRANGERS - 1000 + A_ROUND);
  });
});
