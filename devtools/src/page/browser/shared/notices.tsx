import { signal } from '@preact/signals';
import { messageOf } from '../api.js';

interface Notice {
  readonly key: number;
  readonly text: string;
  readonly kind: 'good' | 'bad';
}

const STAYS_MS = 6000;
const MOST = 3;

const notices = signal<readonly Notice[]>([]);
let nextKey = 0;

/** Shows a short notice in the corner, announced to assistive technology. */
export function notify(text: string, kind: Notice['kind'] = 'good'): void {
  const notice = { key: nextKey++, text, kind };
  notices.value = [...notices.value, notice].slice(-MOST);
  setTimeout(() => {
    notices.value = notices.value.filter((each) => each !== notice);
  }, STAYS_MS);
}

/** Runs a call to the server. Shows a notice if it fails. Resolves with whether it succeeded. */
export async function attempt(call: () => Promise<unknown>): Promise<boolean> {
  try {
    await call();
    return true;
  } catch (error) {
    notify(messageOf(error), 'bad');
    return false;
  }
}

export const Notices = () => (
  <div id="notices" role="status">
    {notices.value.map(({ key, text, kind }) => (
      <p key={key} class={`notice ${kind}`} dir="auto">
        {text}
      </p>
    ))}
  </div>
);
