import { onTestFinished } from 'vitest';
import type { LocalDelivery, LocalServiceOptions } from '../../src/service/index.js';
import { createLocalService } from '../../src/service/index.js';

/** A service that ends with the test, and waits a few milliseconds where it would wait seconds. */
export async function serving(options: LocalServiceOptions = {}) {
  const changes: LocalDelivery[] = [];
  const waiting = new Set<() => void>();
  const service = await createLocalService({
    retries: { attempts: 3, initialDelayMs: 1, maxDelayMs: 5 },
    ...options,
    onDelivery(delivery) {
      changes.push(delivery);
      options.onDelivery?.(delivery);
      for (const look of [...waiting]) look();
    },
  });
  onTestFinished(() => service.close());

  /** Resolves with the first change, past or to come, that is as asked for. */
  function changed(matches: (delivery: LocalDelivery) => boolean): Promise<LocalDelivery> {
    return new Promise((resolve) => {
      const look = () => {
        const found = changes.find(matches);
        if (found === undefined) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
    });
  }

  /** A call of the API. */
  async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const response = await fetch(`${service.url}/api/v0/webhooks${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${service.apiKeys[0]}`,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const answer = (await response.json()) as { status: number; message: string; result?: unknown };
    return { http: response.status, headers: response.headers, ...answer };
  }

  return { service, changes, changed, call };
}

/** A logger that keeps what it gets. */
export function logging() {
  const lines: [level: string, fields: { url?: string }, text: string][] = [];
  const note = (level: string) => (fields: object, text: string) => void lines.push([level, fields, text]);
  const logger = { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') };
  return { lines, logger, texts: () => lines.map(([level, , text]) => `${level}: ${text}`) };
}

/** A service with two webhooks. */
export async function withTwo() {
  const served = await serving();
  for (const label of ['first', 'second']) served.service.register({ label, url: 'https://example.com/webhooks' });
  return served;
}
