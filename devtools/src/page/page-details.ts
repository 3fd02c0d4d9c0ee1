import type { Explainer } from '../confined/explainer.js';
import { whyOf } from '../deliveries/causes.js';
import type { Feed, KeptDelivery } from '../deliveries/feed.js';
import { type FindingSources, NOT_DECODED } from '../deliveries/findings.js';
import type { KnownContracts } from '../deliveries/known-contracts.js';
import { type Detail, detailOf } from '../deliveries/views.js';
import { HttpError } from '../http.js';

interface PageDetailsOptions {
  readonly feed: Feed;
  readonly explainer: Explainer['first'];
  readonly sources: FindingSources;
  readonly contracts: () => KnownContracts;
}

const NO_BODY = 'The body is no longer kept.';

/** Data for the open delivery. Untrusted bytes are read in the explainer's thread. */
export function createPageDetails({ feed, explainer, sources, contracts }: PageDetailsOptions) {
  const { explain, view } = explainer;
  return {
    async detail(record: KeptDelivery): Promise<Detail> {
      const known = contracts();
      const [{ findings }, viewed] = await Promise.all([whyOf(record, sources, explain), view(record.rawBody, known)]);
      if (viewed === undefined) return detailOf(record, { findings: [...findings, NOT_DECODED], items: [] }, known);
      const { contents, items } = viewed;
      if (record.verified === false) feed.describe(record.id, contents);
      const whole = { ...record, contents: record.bodyDropped ? record.contents : contents };
      return detailOf(whole, { findings, items }, known);
    },
    /** The views of the items from an index on. */
    async items(record: KeptDelivery, from: number) {
      if (record.bodyDropped) throw new HttpError(409, NO_BODY);
      const viewed = await view(record.rawBody, contracts(), from);
      if (viewed === undefined) throw new HttpError(503, NOT_DECODED.what);
      return { items: viewed.items };
    },
  };
}

export type PageDetails = ReturnType<typeof createPageDetails>;
