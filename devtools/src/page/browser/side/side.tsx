import { effect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { createChart } from '../chart.js';
import { createFaults } from '../faults.js';
import type { Session } from '../session.js';
import { createWebhooks } from '../webhooks.js';

/** The panel of controls. */
export function Side({ session }: { session: Session }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { api, store, now, state, dialog, version, clock } = session;
    const chart = createChart(store, now);
    const webhooks = createWebhooks(api);
    const faults = createFaults(api);
    box.current?.append(chart.node, webhooks.node, faults.node);
    effect(() => {
      void [version.value, clock.value];
      chart.update();
    });
    effect(() => {
      webhooks.node.hidden = state.value?.webhooks === undefined;
      faults.node.hidden = state.value?.faults === undefined;
      if (state.value?.webhooks) webhooks.update(state.value.webhooks);
      if (state.value?.faults) faults.update(state.value.faults);
    });
    effect(() => {
      if (dialog.value !== 'register') return;
      webhooks.open();
      dialog.value = undefined;
    });
  }, [session]);
  return <div ref={box} />;
}
