// What src/chain uses of `Request` and `Response`. Node's own take ten times as long to construct as all the rest of a request,
// and their bodies are streams. A body arrives whole here.

export class SimulatedRequest {
  readonly url: string;
  readonly text: string;
  readonly signal: AbortSignal;

  constructor(url: string, { body, signal }: { readonly body: string; readonly signal: AbortSignal }) {
    this.url = url;
    this.text = body;
    this.signal = signal;
  }
}

/** Names of headers are in lower case. */
export class SimulatedResponse {
  readonly status: number;
  readonly ok: boolean;
  readonly headers: { get(name: string): string | null };
  readonly body: { getReader(): object };

  /** @param read Called once, when the body is read. */
  constructor(status: number, headers: Readonly<Record<string, string>>, read: () => Promise<Uint8Array>) {
    this.status = status;
    this.ok = status >= 200 && status < 300;
    this.headers = { get: (name) => headers[name] ?? null };
    let isRead = false;
    const next = async () => {
      if (isRead) return { done: true };
      isRead = true;
      return { done: false, value: await read() };
    };
    this.body = { getReader: () => ({ read: next, cancel: async () => {} }) };
  }
}
