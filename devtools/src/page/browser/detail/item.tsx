import type { ComponentChildren } from 'preact';
import { ShortHex } from '../shared/copy.js';
import { LongText, Wire } from '../shared/text.js';
import type { ItemView, State } from '../types.js';
import { Digits, isNumber } from './digits.js';
import { InputTable } from './inputs.js';
import { ExplorerLink } from './links.js';

const Fact = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <div>
    <dt>{title}</dt>
    <dd>{children}</dd>
  </div>
);

function Facts({ item, state }: { item: ItemView; state: State | undefined }) {
  const { contract, transaction, triggeredAt, id, signature } = item;
  const label = contract && (contract.label || contract.name);
  return (
    <dl class="facts">
      {contract && (
        <Fact title="Contract">
          {label && <Wire text={label} />} <ShortHex value={contract.address} what="Address" />
          <ExplorerLink state={state} kind="address" value={contract.address} />
        </Fact>
      )}
      {transaction && (
        <Fact title="Transaction">
          <ShortHex value={transaction.hash} what="Hash" />
          <ExplorerLink state={state} kind="tx" value={transaction.hash} />
          {transaction.status && <Wire text={` ${transaction.status}`} />}
        </Fact>
      )}
      {transaction?.method && (
        <Fact title="Method">
          <Wire text={transaction.method} />
        </Fact>
      )}
      {transaction?.from && (
        <Fact title="From">
          <ShortHex value={transaction.from} what="Address" />
          <ExplorerLink state={state} kind="address" value={transaction.from} />
        </Fact>
      )}
      {transaction?.blockNumber !== undefined && (
        <Fact title="Block">
          {isNumber(transaction.blockNumber) ? (
            <Digits value={transaction.blockNumber} />
          ) : (
            <Wire text={transaction.blockNumber} />
          )}
          <ExplorerLink state={state} kind="block" value={transaction.blockNumber} />
        </Fact>
      )}
      {triggeredAt && (
        <Fact title="Triggered">
          <Wire text={triggeredAt} />
        </Fact>
      )}
      {signature && (
        <Fact title="Signature">
          <Wire text={signature} class="mono" />
        </Fact>
      )}
      {id && (
        <Fact title="Event id">
          <Wire text={id} class="mono" />
        </Fact>
      )}
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
