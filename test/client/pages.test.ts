import { describe, expect, it } from 'vitest';
import { pages as pagesBy } from '../../src/client/pages.js';

interface Item {
  readonly id: number;
}

/** A list that a server gives by limit and offset, and which a test may change between two pages. */
function listOf(count: number, mostPerPage = Number.MAX_SAFE_INTEGER) {
  const items: Item[] = Array.from({ length: count }, (_, id) => ({ id }));
  const asked: [limit: number, offset: number][] = [];
  const page = async (limit: number, offset: number) => {
    asked.push([limit, offset]);
    return items.slice(offset, offset + Math.min(limit, mostPerPage));
  };
  return { items, asked, page };
}

async function idsOf(read: AsyncIterable<Item>, seen: (id: number) => void = () => {}): Promise<number[]> {
  const ids: number[] = [];
  for await (const { id } of read) {
    ids.push(id);
    seen(id);
  }
  return ids;
}

const upTo = (count: number) => Array.from({ length: count }, (_, id) => id);

const pages = <Item extends { id: number }>(page: Parameters<typeof pagesBy<Item>>[0], pageSize?: number) =>
  pagesBy(page, ({ id }) => id, pageSize);

describe('pages', () => {
  it('gives each item once and in order, whatever the sizes of list and page', async () => {
    for (let count = 0; count <= 12; count++) {
      for (let pageSize = 1; pageSize <= 14; pageSize++) {
        const { page } = listOf(count);
        expect(await idsOf(pages(page, pageSize)), `${count} by ${pageSize}`).toEqual(upTo(count));
      }
    }
  });

  it('gives all of them where the server gives fewer a page than it is asked for', async () => {
    for (const most of [1, 2, 3, 5]) expect(await idsOf(pages(listOf(11, most).page))).toEqual(upTo(11));
  });

  it('asks for a page only when it is wanted', async () => {
    const { page, asked } = listOf(1000);
    const read = pages(page, 10);
    expect(asked).toEqual([]);
    for await (const { id } of read) if (id === 9) break;
    expect(asked).toEqual([[10, 0]]);
  });

  it('ends where a server does not look at the offset', async () => {
    const { items } = listOf(10);
    for (const pageSize of [1, 9, 10, 11]) {
      let asked = 0;
      const page = async (limit: number) => {
        if (++asked > 5) throw new Error('it does not end');
        return items.slice(0, limit);
      };
      expect(await idsOf(pages(page, pageSize))).toEqual(upTo(Math.min(10, pageSize)));
    }
  });

  it('ends where a server has other items at each offset, and known ones in between', async () => {
    let asked = 0;
    const page = async (_: number, offset: number) => {
      if (++asked > 50) throw new Error('it does not end');
      return offset === 0 ? [{ id: 0 }, { id: 1 }] : [{ id: 1000 + offset }];
    };
    expect(await idsOf(pages(page, 2))).toEqual([0, 1, 1002]);
  });

  it('gives none twice and leaves none out when others are added in front while it reads', async () => {
    const { items, page } = listOf(25);
    const ids = await idsOf(pages(page, 5), (id) => {
      if (id % 3 === 0 && id < 100) items.unshift({ id: 100 + id });
    });
    expect(ids.filter((id) => id < 100)).toEqual(upTo(25));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('leaves none out when what was read is removed at any time', async () => {
    for (let at = 0; at < 20; at++) {
      for (let count = 1; count <= at; count++) {
        const { items, page } = listOf(20);
        const ids = await idsOf(pages(page, 4), (id) => {
          if (id === at) items.splice(0, count);
        });
        expect(ids, `${count} of them at ${at}`).toEqual(upTo(20));
      }
    }
  });
});
