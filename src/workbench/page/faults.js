import { messageOf } from './api.js';
import { byId, el } from './dom.js';
import { duration } from './format.js';
import { notify } from './notices.js';

/** @typedef {import('./types.js').Faults} Faults */

/** @type {readonly (readonly [key: 'duplicate' | 'reorder' | 'wrongSignature' | 'oldTimestamp', title: string, hint: string])[]} */
const switches = [
  ['wrongSignature', 'Wrong signature', 'Signed with another secret: refuse it'],
  ['oldTimestamp', 'Old timestamp', 'Genuine, but signed long ago'],
  ['duplicate', 'Duplicates', 'Every delivery comes twice'],
  ['reorder', 'Reordering', 'Later deliveries overtake earlier ones'],
];

const LONGEST_DELAY_MS = 600_000;

/**
 * The faults that the service makes on request, and the banner that says so while there is any.
 * @param {import('./api.js').Api} api
 */
export function createFaults(api) {
  const banner = byId('fault-banner');
  /** @type {Faults} */
  let known = { duplicate: false, reorder: false, delayMs: 0, wrongSignature: false, oldTimestamp: false };

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
    return {
      key,
      input,
      row: el('div', { class: 'switch' }, input, words, el('p', { id: `hint-${key}`, class: 'muted' }, hint)),
    };
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

  /** @param {Faults} faults */
  function render(faults) {
    known = faults;
    for (const { key, input } of boxes) input.checked = Boolean(faults[key]);
    if (document.activeElement !== delay || Number(delay.value) === faults.delayMs)
      delay.value = String(faults.delayMs);
    const on = switches.filter(([key]) => faults[key]).map(([, title]) => title.toLowerCase());
    if (faults.delayMs > 0) on.push(`delay of ${duration(faults.delayMs)}`);
    banner.hidden = on.length === 0;
    document.body.classList.toggle('faulty', on.length > 0);
    if (on.length === 0) return banner.replaceChildren();
    const off = { duplicate: false, reorder: false, delayMs: 0, wrongSignature: false, oldTimestamp: false };
    banner.replaceChildren(
      el('p', null, el('strong', null, 'Faults are on: '), on.join(', '), '. Deliveries go wrong on purpose.'),
      el('button', { type: 'button', onclick: () => void set(off) }, 'Turn all off'),
    );
  }

  const node = el('section', { class: 'card faults' }, el('h2', null, 'Faults'), ...boxes.map(({ row }) => row), field);
  return { node, update: render };
}
