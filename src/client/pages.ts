import { checkNumber } from '../internal/check-options.js';

/** How a list is read. */
export interface PageOptions {
  /** How many are asked for at once. (Default: 100.) */
  readonly pageSize?: number | undefined;
}

/**
 * Everything that a list holds, each once, page by page as it is asked for. The list may change meanwhile: what is added
 * in front does not come twice, and what is removed does not make others be left out. A page that brings nothing new is
 * the end, so that a server which does not look at `offset` has one too.
 */
export function pages<Item extends { readonly id: number }>(
  page: (limit: number, offset: number) => Promise<readonly Item[]>,
  { pageSize = 100 }: PageOptions = {},
): AsyncIterable<Item> {
  checkNumber('pageSize', pageSize, 1, 100_000);
  return { [Symbol.asyncIterator]: () => read(page, Math.floor(pageSize)) };
}

async function* read<Item extends { readonly id: number }>(
  page: (limit: number, offset: number) => Promise<readonly Item[]>,
  pageSize: number,
): AsyncGenerator<Item, undefined> {
  const seen = new Set<number>();
  let offset = 0;
  /** The most that a page had: a server may give less than it is asked for. */
  let fullPage = 0;
  /** Whether the page has to begin with an item that is known, or others have moved up past it. */
  let overlaps = false;
  let steppedBack = false;
  for (;;) {
    const items = await page(pageSize, offset);
    const [first] = items;
    if (overlaps && offset > 0 && !(first && seen.has(first.id))) {
      offset = Math.max(0, offset - fullPage);
      steppedBack = true;
      continue;
    }
    const before = seen.size;
    for (const item of items) {
      if (seen.has(item.id)) continue;
      seen.add(item.id);
      yield item;
    }
    const nothingNew = seen.size === before;
    if (items.length < fullPage || (nothingNew && !steppedBack)) return;
    fullPage = items.length;
    // After a step back that found nothing, the next page is taken as it is: no server can keep it going to and fro.
    overlaps = items.length > 1 && !(steppedBack && nothingNew);
    offset += overlaps ? items.length - 1 : items.length;
    steppedBack = false;
  }
}
