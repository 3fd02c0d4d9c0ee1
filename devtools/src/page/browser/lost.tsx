import { useEffect, useRef, useState } from 'preact/hooks';
import { keepToken } from './token.js';

/** Says that the page has no valid token, and how to get one. */
export function Lost() {
  const [problem, setProblem] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.body.className = 'is-lost';
    heading.current?.focus();
  }, []);
  function onSubmit(event: Event): void {
    event.preventDefault();
    if (keepToken(field.current?.value ?? '')) location.reload();
    else setProblem('No token found. The address ends with #token=….');
  }
  return (
    <main class="lost">
      <form onSubmit={onSubmit}>
        <h1 tabIndex={-1} ref={heading}>
          This page needs its token
        </h1>
        <p>
          Deliveries are private, so the page opens only at the address that the command printed:{' '}
          <code>{location.origin}/#token=…</code>. Find it in the terminal where <code>event-webhooks</code> runs. Each
          start creates a new token; restart the command if you lost the address.
        </p>
        <label for="token-field">Or paste the address, or the token, here</label>
        <input id="token-field" ref={field} autocomplete="off" spellcheck={false} required />
        <p class="error" role="alert">
          {problem}
        </p>
        <div class="buttons">
          <button type="submit" class="primary">
            Open
          </button>
        </div>
      </form>
    </main>
  );
}
