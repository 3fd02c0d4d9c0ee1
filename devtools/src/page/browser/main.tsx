import { effect } from '@preact/signals';
import { render } from 'preact';
import { App } from './app.js';

import { Lost } from './lost.js';
import { createSession, type Session } from './session.js';
import { askForToken, dropToken, keepToken, shareToken, takeToken, tokenIsGiven } from './token.js';
import { listenToKeys } from './top/keys.js';
import { keepInUrl } from './url.js';

// Pasting an address into a tab that shows the page changes only the hash.
addEventListener('hashchange', () => {
  if (tokenIsGiven()) location.reload();
});

function showLost(): void {
  dropToken();
  render(<Lost />, document.body);
}

/** Keeps the title of the tab: the mode, and how many deliveries came while the tab was in the background. */
function keepTitle({ state, unseen }: Session): void {
  effect(() => {
    const count = unseen.value > 0 ? `(${unseen.value.toLocaleString('en')}) ` : '';
    document.title = `${count}${state.value ? `${state.value.mode} · ` : ''}event-webhooks`;
  });
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) unseen.value = 0;
  });
}

function start(token: string): void {
  keepToken(token);
  shareToken(token);
  const session = createSession(token, showLost);
  keepInUrl(session);
  keepTitle(session);
  listenToKeys(session);
  render(<App session={session} />, document.body);
}

const token = takeToken() ?? (await askForToken());
if (token) start(token);
else showLost();
