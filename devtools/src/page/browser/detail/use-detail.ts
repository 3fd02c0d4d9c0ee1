import { useSignal, useSignalEffect } from '@preact/signals';
import { messageOf } from '../api.js';
import type { Session } from '../session.js';
import type { Detail } from '../types.js';

interface Loaded {
  /** The shown delivery: the previous one while another loads. */
  readonly detail?: Detail | undefined;
  readonly problem?: string | undefined;
}

/** Loads the open delivery, and reloads it when it changes. */
export function useDetail({ api, openId, openVersion }: Session) {
  const loaded = useSignal<Loaded>({});

  async function load(id: string, signal: AbortSignal): Promise<void> {
    try {
      const detail: Detail = await api.get(`deliveries/${encodeURIComponent(id)}`, signal);
      if (!signal.aborted) loaded.value = { detail };
    } catch (error) {
      if (signal.aborted) return;
      const { detail } = loaded.peek();
      loaded.value = { detail: detail?.id === id ? detail : undefined, problem: messageOf(error) };
    }
  }

  useSignalEffect(() => {
    openVersion.value;
    const id = openId.value;
    const aborter = new AbortController();
    if (id === undefined) loaded.value = {};
    else void load(id, aborter.signal);
    return () => aborter.abort();
  });
  return loaded;
}
