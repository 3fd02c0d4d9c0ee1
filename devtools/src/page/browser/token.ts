const KEY = 'event-webhooks-token';

/** Whether the address bar contains a token. */
export const tokenIsGiven = () => location.hash.startsWith('#token=');

/**
 * The token that this page was opened with. It is removed from the address bar, which keeps the rest (url.ts), and kept
 * while the tab is open.
 */
export function takeToken(): string | undefined {
  const [, token, rest = ''] = /^#token=([^&]+)&?(.*)$/.exec(location.hash) ?? [];
  if (token) {
    keepToken(token);
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

/** Keeps the token while the tab is open. */
export const keepToken = (token: string) => sessionStorage.setItem(KEY, token);

/** Forgets a token that the server refused. */
export const dropToken = () => sessionStorage.removeItem(KEY);
