import { messageOf } from './api.js';
import { byId, el } from './dom.js';
import { duration } from './format.js';
import { notify } from './notices.js';

/** @typedef {import('./types.js').Faults} Faults */
/** @typedef {Exclude<keyof Faults, 'delayMs'>} Switch */

/** @type {readonly (readonly [key: Switch, title: string, hint: string])[]} */
const switches = [
  ['wrongSignature', 'Wrong signature', 'Signed with a line break after the secret'],
  ['oldTimestamp', 'Old timestamp', 'Authentic, but 50 minutes old'],
  ['tamperedBody', 'Tampered body', 'One byte changed after signing'],
  ['duplicate', 'Duplicates', 'Sent again after success'],
  ['reorder', 'Reordering', 'Sent after a later delivery'],
  ['droppedConnection', 'Dropped connection', 'Closed halfway through the body'],
];

const LONGEST_DELAY_MS = 600_000;

/**
 * Switches for the faults that the service injects, and a banner while any is on.
 * @param {import('./api.js').Api} api
 */
export function createFaults(api) {
  const banner = byId('fault-banner');
  /** @type {Partial<Faults>} */
  let known = {};

  /** @param {Partial<Faults>} faults */
  async function set(faults) {
    try {
      render(await api.put('faults', faults));
    } catch (error) {
      notify(messageOf(error), 'bad');
      render(known);
    }
  }

  const boxes = switches.map(([key, title, hint]) => {
    const input = el('input', {
      type: 'checkbox',
      role: 'switch',
      id: `fault-${key}`,
      'aria-describedby': `hint-${key}`,
    });
    input.addEventListener('change', () => void set({ [key]: input.checked }));
    const words = el('label', { for: `fault-${key}` }, title);
    const row = el('div', { class: 'switch' }, input, words, el('p', { id: `hint-${key}`, class: 'muted' }, hint));
    return { key, input, row };
  });
  const delay = el('input', {
    id: 'fault-delay',
    type: 'number',
    min: 0,
    max: LONGEST_DELAY_MS,
    step: 100,
    inputmode: 'numeric',
  });
  delay.addEventListener('change', () => {
    const ms = Math.min(LONGEST_DELAY_MS, Math.max(0, Math.round(Number(delay.value) || 0)));
    void set({ delayMs: ms });
  });
  const field = el(
    'div',
    { class: 'delay' },
    el('label', { for: 'fault-delay' }, 'Delay'),
    delay,
    el('span', null, 'ms'),
  );

  /** @param {Partial<Faults>} faults those that the service knows */
  function render(faults) {
    known = faults;
    for (const { key, input, row } of boxes) {
      input.checked = Boolean(faults[key]);
      row.hidden = faults[key] === undefined;
    }
    const { delayMs = 0 } = faults;
    // Do not overwrite what is being typed.
    if (document.activeElement !== delay || Number(delay.value) === delayMs) delay.value = String(delayMs);
    const on = switches.filter(([key]) => faults[key]).map(([, title]) => title.toLowerCase());
    if (delayMs > 0) on.push(`delay of ${duration(delayMs)}`);
    banner.hidden = on.length === 0;
    if (on.length === 0) return banner.replaceChildren();
    const off = Object.fromEntries(Object.keys(faults).map((key) => [key, key === 'delayMs' ? 0 : false]));
    banner.replaceChildren(
      el('p', null, el('strong', null, 'Faults are on: '), on.join(', '), '. Deliveries fail on purpose.'),
      el('button', { type: 'button', onclick: () => void set(off) }, 'Turn all off'),
    );
  }

  const rows = boxes.map(({ row }) => row);
  const node = el('section', { class: 'card faults' }, el('h2', null, 'Faults'), ...rows, field);
  return { node, update: render };
}
