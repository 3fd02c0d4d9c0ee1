import { itemsOf } from '../workbench/contents.js';
import type { Feed } from '../workbench/feed.js';
import { type FindingSources, findingsOf } from '../workbench/findings.js';
import { lastOf, summaryOf } from '../workbench/views.js';
import { deliveryText, refusalText } from './delivery-text.js';
import type { Output } from './output.js';

/** Prints deliveries one after the other, each with why it was refused. */
export interface DeliveryPrinter {
  print(id: string): void;
  /** Resolves when all are printed. */
  done(): Promise<void>;
}

/** What took longer than this to explain is followed by a time without, so many times as long. */
const QUICK_MS = 250;
const REST = 4;

export function createPrinter(feed: Feed, sources: FindingSources, output: Output): DeliveryPrinter {
  let printing = Promise.resolve();
  let restsUntil = 0;

  /** Explaining can take seconds, in which nothing else is done: a flood of forgeries is not to take all of the time. */
  async function explained(...about: Parameters<typeof findingsOf>): ReturnType<typeof findingsOf> {
    const start = performance.now();
    if (start < restsUntil) return [];
    const findings = await findingsOf(...about);
    const took = performance.now() - start;
    if (took > QUICK_MS) restsUntil = start + (REST + 1) * took;
    return findings;
  }

  async function show(id: string): Promise<void> {
    const record = feed.get(id);
    if (record === undefined) return;
    const summary = summaryOf(record);
    const { reason } = lastOf(record);
    const findings = await explained(record, sources);
    const text = [
      deliveryText(summary, itemsOf(record.rawBody), output.colors),
      ...refusalText(reason, findings[0], output.colors),
    ];
    output.result({ delivery: { ...summary, reason, findings } }, text.join('\n'));
  }

  return {
    print(id) {
      printing = printing.then(() => show(id)).catch(() => output.note('A delivery could not be printed.'));
    },
    done: () => printing,
  };
}
