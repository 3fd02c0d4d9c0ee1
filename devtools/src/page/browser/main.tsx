import { render } from 'preact';
import { App, LostApp } from './app.js';
import { createSession } from './session.js';
import { dropToken, takeToken, tokenIsGiven } from './token.js';

// Pasting an address into a tab that shows the page changes only the hash.
addEventListener('hashchange', () => {
  if (tokenIsGiven()) location.reload();
});

function showLost(): void {
  dropToken();
  render(<LostApp />, document.body);
}

const token = takeToken();
if (token) render(<App session={createSession(token, showLost)} />, document.body);
else showLost();
