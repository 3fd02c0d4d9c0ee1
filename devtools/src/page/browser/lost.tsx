import { useEffect, useRef } from 'preact/hooks';

/** Says that the page has no valid token, and how to get one. */
export function Lost() {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.body.className = 'is-lost';
    heading.current?.focus();
  }, []);
  return (
    <main class="lost">
      <h1 tabIndex={-1} ref={heading}>
        This page needs its token
      </h1>
      <p>
        Deliveries are private, so the page opens only at the address that the command printed:{' '}
        <code>{location.origin}/#token=…</code>. Find it in the terminal where <code>event-webhooks</code> runs. Each
        start creates a new token; restart the command if you lost the address.
      </p>
    </main>
  );
}
