const KEY = 'event-webhooks-token';

/** The token of an address with `#token=…`, or the token alone. */
function tokenIn(text: string): string | undefined {
  const match = /#token=([^&\s]+)/.exec(text);
  if (match) return match[1];
  return /^[\w.~-]{8,}$/.test(text.trim()) ? text.trim() : undefined;
}

/** Whether the address bar contains a token. */
export const tokenIsGiven = () => location.hash.startsWith('#token=');

/** The token that this page was opened with. It is removed from the address bar and kept while the tab is open. */
export function takeToken(): string | undefined {
  const token = tokenIsGiven() ? tokenIn(location.hash) : undefined;
  if (token) {
    sessionStorage.setItem(KEY, token);
    history.replaceState(null, '', location.pathname + location.search);
  }
  return token ?? sessionStorage.getItem(KEY) ?? undefined;
}

/** Keeps a token that was pasted: the whole address, or the token itself. */
export function keepToken(text: string): string | undefined {
  const token = tokenIn(text);
  if (token) sessionStorage.setItem(KEY, token);
  return token;
}

/** Forgets a token that the server refused. */
export const dropToken = () => sessionStorage.removeItem(KEY);
