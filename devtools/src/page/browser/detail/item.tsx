import type { ComponentChildren } from 'preact';
import { ShortHex } from '../shared/copy.js';
import { LongText, Wire } from '../shared/text.js';
import type { ItemView, State } from '../types.js';
import { Digits, isNumber } from './digits.js';
import { InputTable } from './inputs.js';
import { ExplorerLink, type LinkKind } from './links.js';

/** A value with its link to the explorer, if the chain has one. */
function Value({ state, kind, value }: { state: State | undefined; kind?: LinkKind; value: string }) {
  return (
    <>
      {isNumber(value) ? <Digits value={value} /> : <ShortHex value={value} />}
      {kind && <ExplorerLink state={state} kind={kind} value={value} />}
    </>
  );
}

function Facts({ item, state }: { item: ItemView; state: State | undefined }) {
  const { contract, transaction: tx, triggeredAt, id, signature } = item;
  const text = (value: string | undefined) => value && <Wire text={value} />;
  const linked = (kind: LinkKind, value: string | undefined) =>
    value && <Value state={state} kind={kind} value={value} />;
  const facts: [title: string, ...content: ComponentChildren[]][] = [
    ['Contract', text(contract?.label || contract?.name), ' ', linked('address', contract?.address)],
    ['Transaction', linked('tx', tx?.hash), ' ', text(tx?.status)],
    ['Method', text(tx?.method)],
    ['From', linked('address', tx?.from)],
    ['Block', linked('block', tx?.blockNumber)],
    ['Triggered', text(triggeredAt)],
    ['Signature', signature && <Wire text={signature} class="mono" />],
    ['Event id', id && <Wire text={id} class="mono" />],
  ];
  return (
    <dl class="facts">
      {facts
        .filter(([, ...content]) => content.some((each) => each && each !== ' '))
        .map(([title, ...content]) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>{content}</dd>
          </div>
        ))}
    </dl>
  );
}

const remarks: Record<string, string> = { event: '', unknown: 'unknown kind', invalid: 'invalid' };

/** One item of a delivery. */
export function ItemCard({ item, state }: { item: ItemView; state: State | undefined }) {
  const name = item.name || item.transaction?.method || item.kind || 'Item';
  const remark = remarks[item.status];
  const { inputs = [], issues = [] } = item;
  return (
    <article class={`item ${item.status}`} tabIndex={-1}>
      <header>
        <h4>
          <Wire text={name} />
        </h4>
        {item.kind && item.kind !== name && <Wire text={item.kind} class="kind" />}
        {remark && <span class="tag bad">{remark}</span>}
        {item.removed && (
          <span class="tag bad" title="A re-org removed this log.">
            removed by a re-org
          </span>
        )}
      </header>
      {inputs.length > 0 && <InputTable inputs={inputs} more={item.moreInputs} state={state} />}
      {issues.length > 0 && (
        <ul class="issues">
          {issues.map(({ path, message }, index) => (
            <li key={index}>
              <Wire text={path} class="mono" />: <LongText text={message} />
            </li>
          ))}
        </ul>
      )}
      <Facts item={item} state={state} />
    </article>
  );
}
