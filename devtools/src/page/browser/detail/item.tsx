import type { ComponentChildren } from 'preact';
import { counted } from '../shared/format.js';
import { LongText, Wire } from '../shared/text.js';
import { Value } from '../shared/value.js';
import type { InputView, ItemView } from '../types.js';

function Input({ input: { name, type, value, hashed, exact, formatted, symbol } }: { input: InputView }) {
  return (
    <tr>
      <th scope="row">
        <Wire text={name || '(no name)'} />
      </th>
      <td class="type">
        <Wire text={type} />
      </td>
      <td class="value">
        {formatted !== undefined && (
          <div class="formatted">
            <Value text={formatted} /> {symbol && <Wire text={symbol} />}
          </div>
        )}
        {formatted !== value && (
          <div>
            <Value text={value} />
            {hashed && <span class="hint"> keccak256 hash</span>}
          </div>
        )}
        {exact !== undefined && exact !== value && (
          <div>
            <span class="hint">exact </span>
            <Value text={exact} />
          </div>
        )}
      </td>
    </tr>
  );
}

/** The inputs of an event or a call. */
const Inputs = ({ item: { inputs = [], moreInputs } }: { item: ItemView }) => (
  <>
    <table class="inputs">
      <thead>
        <tr>
          {['Name', 'Type', 'Value'].map((title) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {inputs.map((input, index) => (
          <Input key={index} input={input} />
        ))}
      </tbody>
    </table>
    {moreInputs !== undefined && <p class="muted">{counted(moreInputs, 'more input')}: see the body.</p>}
  </>
);

function Facts({ item: { contract, transaction: tx, triggeredAt, id, signature } }: { item: ItemView }) {
  const text = (value: string | undefined, look?: string) => value && <Wire text={value} class={look} />;
  const shown = (value: string | undefined) => value && <Value text={value} />;
  const facts: [title: string, ...content: ComponentChildren[]][] = [
    ['Contract', text(contract?.label || contract?.name), ' ', shown(contract?.address)],
    ['Transaction', shown(tx?.hash), ' ', text(tx?.status)],
    ['Method', text(tx?.method)],
    ['From', shown(tx?.from)],
    ['Block', shown(tx?.blockNumber)],
    ['Triggered', text(triggeredAt)],
    ['Signature', text(signature, 'mono')],
    ['Event id', text(id, 'mono')],
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
export function ItemCard({ item }: { item: ItemView }) {
  const name = item.name || item.transaction?.method || item.kind || 'Item';
  const remark = item.removed ? 'removed by a re-org' : remarks[item.status];
  const { inputs = [], issues = [] } = item;
  return (
    <article class="item" tabIndex={-1}>
      <header>
        <h4>
          <Wire text={name} />
        </h4>
        {item.kind && item.kind !== name && <Wire text={item.kind} class="tag" />}
        {remark && <span class="tag refused">{remark}</span>}
      </header>
      {item.removed && item.transaction && (
        <p class="muted">
          It undoes what an earlier delivery applied:{' '}
          <a href={`#text=${encodeURIComponent(item.transaction.hash)}`}>show both</a>
        </p>
      )}
      {inputs.length > 0 && <Inputs item={item} />}
      {issues.length > 0 && (
        <ul class="issues">
          {issues.map(({ path, message }, index) => (
            <li key={index}>
              <Wire text={path} class="mono" />: <LongText text={message} />
            </li>
          ))}
        </ul>
      )}
      <Facts item={item} />
    </article>
  );
}
