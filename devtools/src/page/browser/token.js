const KEY = 'event-webhooks-token';

/** @param {string} text an address with `#token=…`, or the token alone */
function tokenIn(text) {
  const match = /#token=([^&\s]+)/.exec(text);
  if (match) return match[1];
  return /^[\w.~-]{8,}$/.test(text.trim()) ? text.trim() : undefined;
}

/** Whether the address bar contains a token. */
export const tokenIsGiven = () => tokenIn(location.hash) !== undefined;

/**
 * The token that this page was opened with. It is removed from the address bar and kept while the tab is open.
 * @returns {string | undefined}
 */
export function takeToken() {
  const token = tokenIn(location.hash);
  if (token) {
    sessionStorage.setItem(KEY, token);
    history.replaceState(null, '', location.pathname + location.search);
  }
  return token ?? sessionStorage.getItem(KEY) ?? undefined;
}

/**
 * Keeps a token that was pasted: the whole address, or the token itself.
 * @param {string} text
 * @returns {string | undefined}
 */
export function keepToken(text) {
  const token = tokenIn(text);
  if (token) sessionStorage.setItem(KEY, token);
  return token;
}

/** Forgets a token that the server refused. */
export function dropToken() {
  sessionStorage.removeItem(KEY);
}
