import { messageOf } from './api.js';
import { attemptTable, nextAttempt } from './attempts.js';
import { bodyView, bytesOf, utf8 } from './body.js';
import { copy } from './copy.js';
import { curlOf } from './curl.js';
import { byId, el, present, setText } from './dom.js';
import { eventCards } from './events.js';
import { explanation } from './explanation.js';
import { bytes, clock, counted, moment } from './format.js';
import { headerTable } from './headers.js';
import { notify } from './notices.js';
import { wire } from './text.js';

/** @typedef {import('./types.js').Detail} Detail */

/**
 * The panel of the open delivery.
 * @param {object} options
 * @param {import('./api.js').Api} options.api
 * @param {() => number} options.now Unix milliseconds, of the server
 * @param {(target: string) => string} options.urlOf where a delivery was sent to, as a URL
 * @param {() => boolean} options.canResend
 * @param {() => void} options.onClose
 * @param {(id: string) => void} options.onResent
 */
export function createDetail({ api, now, urlOf, canResend, onClose, onResent }) {
  const panel = byId('detail');
  /** @type {string | undefined} */
  let id;
  /** @type {Detail | undefined} */
  let detail;
  let loading = false;
  let again = false;

  const title = el('h2', { id: 'detail-title', tabindex: -1 });
  const meta = el('p', { class: 'meta' });
  const next = el('p', { class: 'next' });
  const button = (/** @type {string} */ label, /** @type {() => unknown} */ onclick, className = '') =>
    el('button', { type: 'button', class: className, onclick }, label);
  const resend = button('Resend', () => void sendAgain(), 'primary');
  const curl = button('Copy as curl', () => detail && void copy(curlText(detail), 'Command'));
  const close = button('Close', onClose, 'close');
  const error = el('p', { class: 'error', role: 'alert', hidden: true });

  /** @type {{ key: (detail: Detail) => unknown, make: (detail: Detail) => import('./dom.js').Child[], box: HTMLElement, last?: string }[]} */
  const sections = [];
  /** @param {string} heading @param {(detail: Detail) => unknown} key @param {(detail: Detail) => import('./dom.js').Child[]} make @param {Node} [extra] */
  function section(heading, key, make, extra) {
    const box = el('div');
    sections.push({ key, make, box });
    return el('section', null, el('h3', null, heading), box, extra);
  }

  panel.append(
    el('div', { class: 'detail-head' }, title, close, meta, el('div', { class: 'buttons' }, resend, curl)),
    error,
    el(
      'div',
      { class: 'sections' },
      section(
        'Verdict',
        ({ verdict, status, durationMs, findings, attempts }) => [verdict, status, durationMs, findings, attempts],
        explanation,
      ),
      section(
        'Events',
        ({ items }) => items,
        ({ items }) => eventCards(items),
      ),
      section(
        'Attempts',
        ({ attempts }) => attempts,
        ({ attempts }) => [attemptTable(attempts)],
        next,
      ),
      section(
        'Headers',
        ({ headers }) => headers,
        ({ headers }) => [headerTable(headers)],
      ),
      section('Body', (it) => [it.id, it.bytes, it.bodyDropped], bodyView),
    ),
  );
  panel.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || event.defaultPrevented) return;
    event.preventDefault();
    onClose();
  });

  /** @param {Detail} it */
  function curlText(it) {
    const text = utf8(bytesOf(it.bodyBase64));
    return curlOf(it, urlOf(it.target), text);
  }

  async function sendAgain() {
    // The delivery that is shown, even while another one is loading.
    const shown = detail?.id;
    if (shown === undefined) return;
    resend.disabled = true;
    try {
      const answer = await api.post(`deliveries/${encodeURIComponent(shown)}/resend`);
      notify('Delivery resent.');
      if (typeof answer?.id === 'string') onResent(answer.id);
    } catch (problem) {
      notify(messageOf(problem), 'bad');
    } finally {
      resend.disabled = false;
    }
  }

  /** @param {Detail} it */
  function render(it) {
    title.replaceChildren('Delivery ', wire(it.id));
    const time = el('time', { datetime: moment(it.at), title: moment(it.at) }, clock(it.at));
    const to = wire(it.label ? `${it.label} · ${it.target}` : it.target);
    meta.replaceChildren(time, ' · ', counted(it.events, 'event'), ' · ', bytes(it.bytes), ' · ', to);
    for (const part of sections) {
      const key = JSON.stringify(part.key(it)) ?? '';
      if (part.last === key) continue;
      part.last = key;
      part.box.replaceChildren(...present(part.make(it)));
    }
    curl.hidden = Boolean(it.bodyDropped || it.bodyTruncated);
    resend.hidden = Boolean(it.bodyDropped) || !canResend();
    tick();
  }

  function tick() {
    setText(next, nextAttempt(detail?.nextAttemptAt, now()));
    next.hidden = next.textContent === '';
  }

  /** @param {string | undefined} text */
  function fail(text) {
    setText(error, text ?? '');
    error.hidden = text === undefined;
  }

  async function load() {
    if (loading) {
      again = true;
      return;
    }
    loading = true;
    do {
      again = false;
      const wanted = id;
      if (wanted === undefined) break;
      try {
        const got = await api.get(`deliveries/${encodeURIComponent(wanted)}`);
        if (wanted !== id) again = true;
        else {
          detail = got;
          render(got);
          fail(undefined);
          panel.removeAttribute('aria-busy');
        }
      } catch (problem) {
        if (wanted !== id) again = true;
        else {
          if (detail?.id !== wanted) empty();
          fail(messageOf(problem));
        }
      }
    } while (again);
    loading = false;
  }

  function empty() {
    detail = undefined;
    for (const part of sections) {
      part.last = '';
      part.box.replaceChildren();
    }
    title.replaceChildren('Delivery');
    meta.replaceChildren();
    fail(undefined);
  }

  return {
    /** @param {string} wanted */
    open(wanted) {
      if (wanted === id) return;
      if (id === undefined) panel.scrollTop = 0;
      id = wanted;
      panel.hidden = false;
      panel.setAttribute('aria-busy', 'true');
      void load();
    },
    /** The server has told of a change. @param {Iterable<string>} ids */
    changed(ids) {
      if (id !== undefined) for (const each of ids) if (each === id) return void load();
    },
    close() {
      id = undefined;
      panel.hidden = true;
      empty();
    },
    tick,
    focus: () => title.focus({ preventScroll: true }),
    openId: () => id,
    contains: () => panel.contains(document.activeElement),
  };
}
