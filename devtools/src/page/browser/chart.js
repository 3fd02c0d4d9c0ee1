import { buckets, STEP_MS, totals } from './buckets.js';
import { el, onFrame, setText, svg } from './dom.js';
import { verdictIcon, verdicts } from './verdict.js';

const WIDTH = 240;
const HEIGHT = 72;
const MINUTE_MS = 60_000;

/** A bar with its own pattern, so that it can be told apart without colour. @param {string} verdict @param {string} d */
const pattern = (verdict, d) =>
  svg(
    'pattern',
    { id: `hatch-${verdict}`, width: 4, height: 4, patternUnits: 'userSpaceOnUse' },
    svg('rect', { class: `fill ${verdict}`, width: 4, height: 4 }),
    svg('path', { class: 'hatch', d }),
  );

/** The highest of a scale that reads well. @param {number} most */
function scaleFor(most) {
  let step = 1;
  while (step * 5 < most) step *= 10;
  return [1, 2, 5].map((factor) => factor * step).find((value) => value >= most) ?? step * 5;
}

/**
 * Deliveries by verdict over the last five minutes: bars, the sums in words, and a table.
 * @param {import('./store.js').Store} store
 * @param {() => number} now Unix milliseconds, of the server
 */
export function createChart(store, now) {
  const bars = svg('g', {});
  const top = svg('text', { class: 'axis', x: WIDTH, y: -4, 'text-anchor': 'end' });
  const picture = svg(
    'svg',
    { viewBox: `0 -13 ${WIDTH} ${HEIGHT + 27}`, role: 'img', class: 'chart' },
    svg('defs', {}, pattern('refused', 'M0 4 4 0'), pattern('failed', 'M0 0 4 4M0 4 4 0')),
    svg('path', { class: 'grid', d: `M0 .5H${WIDTH}M0 ${HEIGHT / 2}.5H${WIDTH}` }),
    bars,
    svg('path', { class: 'base', d: `M0 ${HEIGHT}.5H${WIDTH}` }),
    svg('text', { class: 'axis', x: 0, y: HEIGHT + 12 }, '5 min ago'),
    svg('text', { class: 'axis', x: WIDTH, y: HEIGHT + 12, 'text-anchor': 'end' }, 'now'),
    top,
  );
  const sums = verdicts.map((verdict) => ({ verdict, sum: el('span', { class: 'sum' }) }));
  const legend = el(
    'ul',
    { class: 'legend' },
    ...sums.map(({ verdict, sum }) =>
      el('li', { class: verdict }, verdictIcon(verdict), el('span', null, verdict), sum),
    ),
  );
  const body = el('tbody');
  const headings = ['Minute', ...verdicts].map((title) => el('th', { scope: 'col' }, title));
  const table = el('table', { class: 'minutes' }, el('thead', null, el('tr', null, ...headings)), body);
  const details = el('details', { ontoggle: () => update() }, el('summary', null, 'As a table'), table);
  let drawn = '';

  function render() {
    const steps = buckets(store.all(), now());
    const key = JSON.stringify(steps);
    if (key !== drawn) draw(steps);
    drawn = key;
    if (details.open) renderTable();
  }

  /** @param {ReturnType<typeof buckets>} steps */
  function draw(steps) {
    const sumOf = (/** @type {import('./buckets.js').Counts} */ counts) =>
      verdicts.reduce((sum, name) => sum + counts[name], 0);
    const most = scaleFor(Math.max(4, ...steps.map(({ counts }) => sumOf(counts))));
    const width = WIDTH / steps.length;
    const rects = steps.flatMap(({ counts }, index) => {
      let y = HEIGHT;
      return verdicts
        .filter((verdict) => counts[verdict] > 0)
        .map((verdict) => {
          const height = (counts[verdict] / most) * HEIGHT;
          y -= height;
          return svg('rect', { class: `bar ${verdict}`, x: index * width + 0.5, y, width: width - 1, height });
        });
    });
    bars.replaceChildren(...rects);
    top.textContent = `${most} in ${STEP_MS / 1000} s`;
    const sum = totals(steps);
    for (const each of sums) setText(each.sum, sum[each.verdict].toLocaleString('en'));
    const words = verdicts.map((verdict) => `${sum[verdict]} ${verdict}`).join(', ');
    picture.setAttribute('aria-label', `Deliveries of the last 5 minutes: ${words}.`);
  }

  function renderTable() {
    const rows = buckets(store.all(), now(), MINUTE_MS).map(({ at, counts }) => {
      const time = new Date(at).toTimeString().slice(0, 5);
      return el(
        'tr',
        null,
        el('th', { scope: 'row' }, time),
        ...verdicts.map((verdict) => el('td', null, String(counts[verdict]))),
      );
    });
    body.replaceChildren(...rows);
  }

  const update = () => onFrame(render);
  const node = el('section', { class: 'card' }, el('h2', null, 'Last 5 minutes'), picture, legend, details);
  return { node, update };
}
