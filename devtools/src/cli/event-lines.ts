import { itemViews } from '../confined/explain-tasks.js';
import { amountText } from '../deliveries/amounts.js';
import type { InputView, ItemView, KnownContracts } from '../deliveries/item-view.js';
import { shortHex } from '../deliveries/rows.js';
import { timeOf } from './delivery-text.js';
import type { Colors } from './output.js';
import type { Printed, Style } from './printed-delivery.js';
import { visible } from './visible.js';

/** One line, or one JSON document, an event. */
export function eventStyle(contracts: () => KnownContracts): Style {
  return {
    decode: (rawBody) => itemViews(rawBody, contracts()),
    text: ({ summary, items }, colors) => {
      const { at, verdict, status, events, target, label } = summary;
      const colour = verdict === 'accepted' ? colors.green : colors.red;
      const head = `${colors.dim(timeOf(at))}  ${colour(`${status ?? '—'} ${verdict}`)}`;
      if (items.length === 0) return `${head}  ${visible(label ?? target, 60)}  ${colors.dim('no events')}`;
      const lines = items.map((item) => `${head}  ${eventText(item, colors)}`);
      if (events > items.length) lines.push(colors.dim(`  … ${events - items.length} more`));
      return lines.join('\n');
    },
    documents: ({ summary: { id, at, verdict, status }, last: { reason }, items }: Printed, findings) => {
      const delivery = { delivery: id, at, verdict, status, reason };
      if (items.length === 0) return [{ event: { ...delivery, findings } }];
      return items.map((item) => ({ event: { ...delivery, ...item, findings } }));
    },
  };
}

function eventText(item: ItemView, colors: Colors): string {
  const { status, kind = '', name = kind, contract, inputs = [], issues = [], removed } = item;
  if (status !== 'event') {
    const [issue] = issues;
    return `${colors.yellow(status)}  ${visible(issue ? `${issue.path || 'item'}: ${issue.message}` : kind, 200)}`;
  }
  const where = contract ? contract.label || shortHex(contract.address) : '';
  const parts = [colors.bold(visible(name, 40)), visible(where, 40), ...inputs.map(inputText)];
  if (removed) parts.push(colors.yellow('removed'));
  return parts.filter((part) => part !== '').join('  ');
}

function inputText({ name, value, exact, formatted, symbol = '' }: InputView): string {
  const amount = formatted === undefined ? undefined : `${amountText(formatted, undefined)} ${symbol}`.trim();
  return `${visible(name, 40)} ${visible(amount ?? exact ?? shortHex(value), 80)}`.trim();
}
