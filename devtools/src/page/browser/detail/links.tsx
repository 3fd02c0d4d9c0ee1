import type { State } from '../types.js';

export type LinkKind = 'tx' | 'address' | 'block';
const VALUES: Record<LinkKind, RegExp> = {
  tx: /^0x[0-9a-f]{64}$/i,
  address: /^0x[0-9a-f]{40}$/i,
  block: /^\d{1,20}$/,
};

/** The page of a transaction, an address or a block in the chain's explorer; undefined if there is none. */
export function explorerUrl(state: State | undefined, kind: LinkKind, value: string): string | undefined {
  const template = state?.chain?.explorer?.[kind];
  if (template === undefined || !VALUES[kind].test(value)) return undefined;
  const url = template.replaceAll('{}', value);
  return /^https?:\/\//i.test(url) && URL.canParse(url) ? url : undefined;
}

interface Props {
  readonly state: State | undefined;
  readonly kind: LinkKind;
  readonly value: string;
}

/** A link to the chain's explorer, where the chain has one. */
export function ExplorerLink({ state, kind, value }: Props) {
  const url = explorerUrl(state, kind, value);
  if (url === undefined) return null;
  return (
    <a class="explorer" href={url} target="_blank" rel="noreferrer noopener" title={url}>
      <span aria-hidden="true">↗</span>
      <span class="unseen">Open {value} in the explorer</span>
    </a>
  );
}
