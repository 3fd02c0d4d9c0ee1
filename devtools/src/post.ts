import { type Agent, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { HeaderLine } from './service/attempt.js';
import { type Exchanged, exchange } from './service/exchange.js';

/** One delivery as it is sent. */
export interface Parcel {
  readonly headers: readonly HeaderLine[];
  readonly body: Uint8Array;
}

/** The result of one POST. */
export interface Answer extends Omit<Exchanged, 'response' | 'retryAfter'> {
  /** The headers of the response. */
  readonly headers?: readonly HeaderLine[] | undefined;
  readonly location?: string | undefined;
  /** The start of the response body, as text. */
  readonly body: string;
}

export interface PostOptions {
  readonly agent: Agent;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** How much of the response is kept. (Default: 16 KiB.) */
  readonly keepBytes?: number | undefined;
}

/** Sends one POST and reads the start of the response. Does not follow redirects. Never rejects. */
export async function post(
  url: URL,
  parcel: Parcel,
  { agent, timeoutMs, signal, keepBytes }: PostOptions,
): Promise<Answer> {
  const { body } = parcel;
  const headers = [['Host', url.host], ...parcel.headers, ['Content-Length', String(body.byteLength)]] as never;
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const { response, status, code, connected, durationMs } = await exchange(
    (isAgain) => send(url, { method: 'POST', headers, signal, agent: isAgain ? false : agent }),
    { body, timeoutMs, captureMs: timeoutMs, keepBytes },
  );
  const kept = await response;
  const lines = kept?.headers ?? [];
  return {
    ...{ status, code, connected, durationMs, headers: lines },
    location: lines.find(([name]) => name.toLowerCase() === 'location')?.[1],
    body: Buffer.from(kept?.bodyBase64 ?? '', 'base64').toString(),
  };
}
