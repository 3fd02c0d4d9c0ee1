/**
 * Yields each item of a list once, fetching page by page on demand. The list may change meanwhile: items added in front
 * are not repeated, and removed items do not cause others to be skipped. A page without new items ends the list, so that
 * a server that ignores `offset` cannot cause an endless loop.
 *
 * @param page Returns at most `limit` items from an offset on.
 * @param keyOf What identifies an item.
 */
export async function* pages<Item>(
  page: (limit: number, offset: number) => Promise<readonly Item[]>,
  keyOf: (item: Item) => unknown,
  pageSize = 100,
): AsyncGenerator<Item, undefined> {
  const seen = new Set<unknown>();
  let offset = 0;
  /** The largest page so far: a server may return less than requested. */
  let fullPage = 0;
  /** Whether the page must start with a known item; otherwise items were removed and others moved up. */
  let overlaps = false;
  let steppedBack = false;
  for (;;) {
    const items = await page(pageSize, offset);
    const [first] = items;
    if (overlaps && offset > 0 && !(first && seen.has(keyOf(first)))) {
      offset = Math.max(0, offset - fullPage);
      steppedBack = true;
      continue;
    }
    const before = seen.size;
    for (const item of items) {
      const key = keyOf(item);
      if (seen.has(key)) continue;
      seen.add(key);
      yield item;
    }
    const nothingNew = seen.size === before;
    if (items.length < fullPage || (nothingNew && !steppedBack)) return;
    fullPage = items.length;
    // After a step back without new items, the next page is accepted unchecked, so that a server cannot cause an
    // endless loop.
    overlaps = items.length > 1 && !(steppedBack && nothingNew);
    offset += overlaps ? items.length - 1 : items.length;
    steppedBack = false;
  }
}
