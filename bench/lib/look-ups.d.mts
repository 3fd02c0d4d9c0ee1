import type { createReceiver, signDelivery } from '../../src/index.js';

export function playLookUps(
  ours: { readonly createReceiver: typeof createReceiver; readonly signDelivery: typeof signDelivery },
  settings: {
    readonly overload: number;
    readonly maxLookUps?: number;
    readonly lookUpMs?: number;
    readonly genuine?: number;
    readonly seed?: number;
    readonly connections?: number;
    readonly steady?: boolean;
  },
): Promise<{ readonly share: number; readonly most: number }>;
