const KEY = 'event-webhooks-token';

/** The token from an address with `#token=…`, or from a bare token. */
function tokenIn(text: string): string | undefined {
  const match = /#token=([^&\s]+)/.exec(text);
  if (match) return match[1];
  return /^[\w.~-]{8,}$/.test(text.trim()) ? text.trim() : undefined;
}

/** Whether the address bar contains a token. */
export const tokenIsGiven = () => location.hash.startsWith('#token=');

/**
 * The token that this page was opened with. It is removed from the address bar, which keeps the rest (url.ts), and kept
 * while the tab is open.
 */
export function takeToken(): string | undefined {
  const token = tokenIsGiven() ? tokenIn(location.hash) : undefined;
  if (token) {
    sessionStorage.setItem(KEY, token);
    const rest = location.hash.replace(/^#token=[^&]*&?/, '');
    history.replaceState(null, '', location.pathname + location.search + (rest && `#${rest}`));
  }
  return token ?? sessionStorage.getItem(KEY) ?? undefined;
}

const CHANNEL = 'event-webhooks-token';
const ANSWER_MS = 300;

/** Gives the token to further tabs of this page, which ask for it when a link is opened in them. Nothing is stored. */
export function shareToken(token: string): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = ({ data }) => {
    if (data === 'ask') channel.postMessage({ token });
  };
}

/** Asks the other tabs for the token. */
export function askForToken(): Promise<string | undefined> {
  const channel = new BroadcastChannel(CHANNEL);
  return new Promise<string | undefined>((resolve) => {
    channel.onmessage = ({ data }) => typeof data?.token === 'string' && resolve(data.token);
    setTimeout(resolve, ANSWER_MS, undefined);
    channel.postMessage('ask');
  }).finally(() => channel.close());
}

/** Keeps a token that was pasted: the whole address, or the token itself. */
export function keepToken(text: string): string | undefined {
  const token = tokenIn(text);
  if (token) sessionStorage.setItem(KEY, token);
  return token;
}

/** Forgets a token that the server refused. */
export const dropToken = () => sessionStorage.removeItem(KEY);
