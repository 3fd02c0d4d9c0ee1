import { byId, el, onFrame, setText } from './dom.js';
import { counted } from './format.js';
import { line } from './text.js';
import { verdictIcon, verdicts } from './verdict.js';

/** @typedef {import('./store.js').Entry} Entry */

/** Limit of values in a select; beyond it, use the search. */
const MOST_OPTIONS = 200;

/** What of a delivery is searched. @param {Entry} entry */
function textOf(entry) {
  const { id, label, target, code, status, fault, kinds, contracts, names } = entry.summary;
  entry.text ??= [id, label, target, code, status, fault, ...kinds, ...contracts, ...names].join('\n').toLowerCase();
  return entry.text;
}

/**
 * A select whose options follow the present values.
 * @param {string} all
 * @param {string} label
 * @param {() => void} onChange
 */
function createChoice(all, label, onChange) {
  const select = el('select', { 'aria-label': label, onchange: onChange }, el('option', { value: '' }, all));
  /** By position: values from the wire are never used in markup. @type {string[]} */
  let values = [];
  return {
    select,
    /** @returns {string | undefined} */
    chosen: () => values[select.selectedIndex - 1],
    /** @param {Iterable<string>} wanted */
    offer(wanted) {
      const chosen = values[select.selectedIndex - 1];
      const next = [...wanted].sort().slice(0, MOST_OPTIONS);
      if (chosen !== undefined && !next.includes(chosen)) next.unshift(chosen);
      if (next.length === values.length && next.every((value, index) => value === values[index])) return;
      values = next;
      select.replaceChildren(
        el('option', { value: '' }, all),
        ...values.map((value, index) => el('option', { value: index, dir: 'auto' }, line(value) || '(empty)')),
      );
      select.selectedIndex = chosen === undefined ? 0 : values.indexOf(chosen) + 1;
    },
    clear() {
      select.selectedIndex = 0;
    },
  };
}

/**
 * Filters by verdict, kind, contract and text.
 * @param {object} options
 * @param {import('./store.js').Store} options.store
 * @param {import('./view.js').View} options.view
 * @param {() => void} options.onChange
 * @param {() => void} options.onClear
 */
export function createFilters({ store, view, onChange, onClear }) {
  const box = byId('filters');
  /** @type {Set<string>} */
  const on = new Set();
  const changed = () => {
    const needle = search.value.trim().toLowerCase();
    const [kind, contract] = [kinds.chosen(), contracts.chosen()];
    view.setFilter(
      (entry) =>
        (on.size === 0 || on.has(entry.summary.verdict)) &&
        (kind === undefined || entry.summary.kinds.includes(kind)) &&
        (contract === undefined || entry.summary.contracts.includes(contract)) &&
        (needle === '' || textOf(entry).includes(needle)),
    );
    reset.hidden = on.size === 0 && kind === undefined && contract === undefined && needle === '';
    onChange();
  };

  const counts = verdicts.map((verdict) => ({ verdict, count: el('span', { class: 'count' }, '0') }));
  const chips = counts.map(({ verdict, count }) => {
    const toggle = () => {
      if (!on.delete(verdict)) on.add(verdict);
      chip.setAttribute('aria-pressed', String(on.has(verdict)));
      changed();
    };
    const chip = el(
      'button',
      { type: 'button', class: `chip ${verdict}`, 'aria-pressed': 'false', onclick: toggle },
      verdictIcon(verdict),
      el('span', { class: 'word' }, verdict),
      ' ',
      count,
    );
    return chip;
  });
  const kinds = createChoice('All kinds', 'Kind', changed);
  const contracts = createChoice('All contracts', 'Contract', changed);
  const search = el('input', {
    type: 'search',
    placeholder: 'Search',
    'aria-label': 'Search in names, labels, targets and codes',
    spellcheck: 'false',
    autocomplete: 'off',
    oninput: changed,
  });
  const total = el('span', { class: 'total' });
  const resetAll = () => {
    on.clear();
    for (const chip of chips) chip.setAttribute('aria-pressed', 'false');
    kinds.clear();
    contracts.clear();
    search.value = '';
    changed();
    search.focus();
  };
  const reset = el('button', { type: 'button', class: 'quiet', hidden: true, onclick: resetAll }, 'Reset filters');
  const clear = el('button', { type: 'button', class: 'quiet', onclick: onClear }, 'Clear list');
  box.append(
    el('div', { class: 'chips', role: 'group', 'aria-label': 'Verdict' }, ...chips),
    el('div', { class: 'counts' }, total, reset, clear),
    el('div', { class: 'choices' }, kinds.select, contracts.select, search),
  );

  function render() {
    for (const { verdict, count } of counts)
      setText(count, (store.verdictTally.get(verdict) ?? 0).toLocaleString('en'));
    kinds.offer(store.kindTally.keys());
    contracts.offer(store.contractTally.keys());
    const [shown, all] = [view.length() + view.waiting(), store.all().length];
    const deliveries = counted(all, 'delivery', 'deliveries');
    setText(total, shown === all ? deliveries : `${shown.toLocaleString('en')} of ${deliveries}`);
    clear.hidden = all === 0;
  }
  return { update: () => onFrame(render), reset: resetAll };
}
