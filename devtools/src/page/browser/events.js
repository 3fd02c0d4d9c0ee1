import { isLongHex, shortHex } from './copy.js';
import { el } from './dom.js';
import { counted } from './format.js';
import { longText, wire } from './text.js';

/** @typedef {import('./types.js').ItemView} ItemView */
/** @typedef {import('./types.js').InputView} InputView */

/** Items and inputs that are shown at once. */
const STEP = 25;

/** @param {string} value */
const shown = (value) => (isLongHex(value) ? shortHex(value) : longText(value));

/** @param {InputView} input */
function inputRow({ name, type, value, hashed, exact, formatted }) {
  const differs = exact !== undefined && exact !== value;
  return el(
    'tr',
    null,
    el('th', { scope: 'row' }, wire(name || '(no name)')),
    el('td', { class: 'type' }, wire(type)),
    el(
      'td',
      { class: 'value' },
      formatted !== undefined && formatted !== value && el('div', { class: 'formatted' }, longText(formatted)),
      el('div', null, shown(value), hashed && el('span', { class: 'hint' }, ' keccak256 hash')),
      differs && el('div', { class: 'exact' }, el('span', { class: 'hint' }, 'exact '), longText(exact)),
    ),
  );
}

/**
 * Nodes for the first so many, and a button for the next.
 * @template T
 * @param {readonly T[]} all
 * @param {(item: T) => HTMLElement} make
 * @param {HTMLElement} into
 * @param {string} noun
 */
function inSteps(all, make, into, noun) {
  let shown = 0;
  const more = el('button', { type: 'button', class: 'quiet more', onclick: () => step(true) });
  /** @param {boolean} asked */
  function step(asked) {
    const next = all.slice(shown, shown + STEP).map(make);
    into.append(...next);
    shown += next.length;
    more.textContent = `Show more: ${counted(all.length - shown, noun)} left`;
    more.hidden = shown === all.length;
    if (asked && next[0]) {
      next[0].tabIndex = -1;
      next[0].focus();
    }
  }
  step(false);
  return [into, more];
}

/** @param {readonly InputView[]} inputs */
function inputTable(inputs) {
  const body = el('tbody');
  const parts = inSteps(inputs, inputRow, body, 'input');
  const headings = ['Name', 'Type', 'Value'].map((title) => el('th', { scope: 'col' }, title));
  const table = el('table', { class: 'inputs' }, el('thead', null, el('tr', null, ...headings)), body);
  return [table, parts[1]];
}

/** @param {string} title @param {...(Node | string | undefined | false)} value */
const fact = (title, ...value) =>
  el('div', null, el('dt', null, title), el('dd', null, ...value.filter((part) => !!part)));

/** @param {ItemView} item */
function facts({ contract, transaction, triggeredAt, id, signature }) {
  const label = contract && (contract.label || contract.name);
  return el(
    'dl',
    { class: 'facts' },
    contract && fact('Contract', label && wire(label), ' ', shortHex(contract.address, 'Address')),
    transaction &&
      fact('Transaction', shortHex(transaction.hash, 'Hash'), transaction.status && wire(` ${transaction.status}`)),
    transaction?.method && fact('Method', wire(transaction.method)),
    transaction && fact('From', shortHex(transaction.from, 'Address')),
    transaction?.blockNumber !== undefined && fact('Block', String(transaction.blockNumber)),
    triggeredAt && fact('Triggered', wire(triggeredAt)),
    signature && fact('Signature', wire(signature, 'mono')),
    id && fact('Event id', wire(id, 'mono')),
  );
}

const statuses = { event: '', unknown: 'unknown kind', invalid: 'invalid' };

/** @param {ItemView} item */
function itemCard(item) {
  const name = item.name || item.transaction?.method || item.kind || 'Item';
  const remark = statuses[item.status] ?? item.status;
  return el(
    'article',
    { class: `item ${item.status}` },
    el(
      'header',
      null,
      el('h4', null, wire(name)),
      item.kind && item.kind !== name && wire(item.kind, 'kind'),
      remark && el('span', { class: 'tag bad' }, remark),
      item.removed &&
        el('span', { class: 'tag bad', title: 'A re-org has taken this log back.' }, 'removed by a re-org'),
    ),
    ...(item.inputs && item.inputs.length > 0 ? inputTable(item.inputs) : []),
    item.issues &&
      el(
        'ul',
        { class: 'issues' },
        ...item.issues
          .slice(0, STEP)
          .map(({ path, message }) => el('li', null, wire(path, 'mono'), ': ', longText(message))),
      ),
    facts(item),
  );
}

/**
 * The events of a delivery as tables.
 * @param {readonly ItemView[]} items
 */
export function eventCards(items) {
  if (items.length === 0) return [el('p', { class: 'muted' }, 'No events could be read from the body.')];
  return inSteps(items, itemCard, el('div', { class: 'items' }), 'event');
}
