import { batch, effect } from '@preact/signals';
import { type Filters, NO_FILTERS } from './filter.js';
import type { Session } from './session.js';
import { verdicts } from './shared/verdict.js';

/** The state in the address: the open delivery and the filters. */
interface Place {
  readonly open: string | undefined;
  readonly filters: Filters;
}

/** The part of the address after `#`; empty for the list without filters. */
function toHash({ open, filters }: Place): string {
  const params = new URLSearchParams();
  const put = (name: string, value: string | undefined) => value !== undefined && params.append(name, value);
  put('open', open);
  for (const verdict of filters.verdicts) put('verdict', verdict);
  put('kind', filters.kind);
  put('contract', filters.contract);
  put('text', filters.text.trim() || undefined);
  put('from', filters.span && String(filters.span.from));
  put('to', filters.span && String(filters.span.to));
  return params.toString();
}

/** Parses the result of `toHash`. Ignores unknown parts. */
function fromHash(hash: string): Place {
  const params = new URLSearchParams(hash.replace(/^#/, ''));
  const get = (name: string) => params.get(name) ?? undefined;
  const chosen = params.getAll('verdict');
  const [from, to] = [Number(get('from')), Number(get('to'))];
  return {
    open: get('open'),
    filters: {
      ...NO_FILTERS,
      verdicts: verdicts.filter((verdict) => chosen.includes(verdict)),
      kind: get('kind'),
      contract: get('contract'),
      text: get('text') ?? '',
      span: from < to ? { from, to } : undefined,
    },
  };
}

const isSame = (a: string, b: string) => toHash(fromHash(a)) === toHash(fromHash(b));

/**
 * Keeps the open delivery and the filters in the address. Opening, closing and choosing a filter add history entries;
 * moving between deliveries and typing do not.
 */
export function keepInUrl({ openId, filters, open, close }: Session): void {
  function read(): void {
    const place = fromHash(location.hash);
    batch(() => {
      if (place.open === undefined) close();
      else open(place.open);
      if (toHash({ ...place, open: undefined }) !== toHash({ open: undefined, filters: filters.peek() })) {
        filters.value = place.filters;
      }
    });
  }

  read();
  addEventListener('popstate', read);
  effect(() => {
    const next = { open: openId.value, filters: filters.value };
    const hash = toHash(next);
    if (isSame(hash, location.hash)) return;
    const before = fromHash(location.hash);
    const without = (place: Place) => toHash({ open: undefined, filters: { ...place.filters, text: '' } });
    const isStep = (before.open === undefined) !== (next.open === undefined) || without(before) !== without(next);
    const url = location.pathname + location.search + (hash && `#${hash}`);
    if (isStep) history.pushState(null, '', url);
    else history.replaceState(null, '', url);
  });
}
