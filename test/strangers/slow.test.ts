import { describe, expect, it } from 'vitest';
import { genuine } from '../matrix/deliveries.js';
import { HOSTS, serve } from './hosts.js';
import { MANNERS, overHttp2, statusOverHttp2 } from './strangers.js';

const STRANGERS = 2500;
// A Request of Fetch does not tell which connection it came over.
const hosts = HOSTS.filter(({ name, http2 }) => http2 && !name.startsWith('fetchHandler'));

describe.each(hosts)('$name', (host) => {
  it.each(MANNERS.slice(0, 2))(
    `answers 200 to an upload that is slower than ${STRANGERS} strangers on one connection who $name`,
    async (manner) => {
      const { port, refused, requests } = await serve(host);
      const flood = async () => {
        // The upload is the first request.
        await requests.reaches(1);
        await overHttp2(STRANGERS)(port, STRANGERS, manner);
        await requests.reaches(STRANGERS + 1);
      };
      expect(await statusOverHttp2(port, genuine(), flood)).toBe(200);
      expect(refused.entries.length).toBeGreaterThanOrEqual(STRANGERS + 1 - 1000);
    },
  );
});
