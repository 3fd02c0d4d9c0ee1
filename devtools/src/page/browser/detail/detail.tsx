import { effect } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { createDetail } from '../detail.js';
import type { Session } from '../session.js';

/** The panel of the open delivery. */
export function Detail({ session }: { session: Session }) {
  useEffect(() => {
    const { api, now, state, openId, openVersion, clock, close, open } = session;
    const urlOf = (target: string) =>
      // Concatenated, not resolved: the path `//elsewhere/` would resolve to another host.
      URL.canParse(target) ? target : `${state.value?.service?.url.replace(/\/$/, '') ?? ''}${target}`;
    /** A listener without a target cannot resend. */
    const canResend = () => state.value?.mode === 'emulate' || state.value?.target !== undefined;
    const panel = createDetail({ api, now, urlOf, canResend, onClose: close, onResent: (id) => open(id) });
    effect(() => {
      void openVersion.value;
      const id = openId.value;
      if (id === undefined) panel.close();
      else if (id === panel.openId()) panel.changed([id]);
      else panel.open(id);
    });
    effect(() => {
      void clock.value;
      panel.tick();
    });
  }, [session]);
  return <aside id="detail" aria-labelledby="detail-title" hidden />;
}
