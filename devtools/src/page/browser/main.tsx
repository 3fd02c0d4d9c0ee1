import { render } from 'preact';
import { App } from './app.js';
import { listenToKeys } from './keys.js';
import { Lost } from './lost.js';
import { createSession } from './session.js';
import { keepTitle } from './title.js';
import { askForToken, dropToken, keepToken, shareToken, takeToken, tokenIsGiven } from './token.js';
import { keepInUrl } from './url.js';

// Pasting an address into a tab that shows the page changes only the hash.
addEventListener('hashchange', () => {
  if (tokenIsGiven()) location.reload();
});

function showLost(): void {
  dropToken();
  render(<Lost />, document.body);
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
