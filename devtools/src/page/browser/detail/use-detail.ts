import { useSignal, useSignalEffect } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { messageOf } from '../api.js';
import type { Session } from '../session.js';
import type { Detail } from '../types.js';

interface Loaded {
  /** The shown delivery: the previous one while another loads. */
  readonly detail?: Detail | undefined;
  readonly problem?: string | undefined;
}

/** Loads the open delivery, and reloads it on changes; one call at a time. */
export function useDetail({ api, openId, openVersion }: Session) {
  const loaded = useSignal<Loaded>({});
  const call = useRef({ isRunning: false, isDue: false });

  async function load(id: string): Promise<void> {
    try {
      const detail: Detail = await api.get(`deliveries/${encodeURIComponent(id)}`);
      if (openId.peek() === id) loaded.value = { detail };
    } catch (error) {
      if (openId.peek() !== id) return;
      const { detail } = loaded.peek();
      loaded.value = { detail: detail?.id === id ? detail : undefined, problem: messageOf(error) };
    }
  }

  async function loadAll(): Promise<void> {
    const { current } = call;
    current.isDue = true;
    if (current.isRunning) return;
    current.isRunning = true;
    while (current.isDue) {
      current.isDue = false;
      const id = openId.peek();
      if (id !== undefined) await load(id);
    }
    current.isRunning = false;
  }

  useSignalEffect(() => {
    openVersion.value;
    if (openId.value === undefined) loaded.value = {};
    else void loadAll();
  });
  return loaded;
}
