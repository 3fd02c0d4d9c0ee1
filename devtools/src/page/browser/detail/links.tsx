import type { State } from '../types.js';
import { explorerUrl, type LinkKind } from './explorer-url.js';

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
