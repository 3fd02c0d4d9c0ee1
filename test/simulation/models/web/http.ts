// What ky and src/chain use of `Headers`, `Request` and `Response`. Node's own take ten times as long to construct as all the
// rest of a request, and their bodies are streams. A body arrives whole here; multipart and stream bodies are left out.

type Init = SimulatedHeaders | Readonly<Record<string, unknown>> | undefined;

export class SimulatedHeaders {
  readonly #values = new Map<string, string>();

  constructor(init?: Init) {
    const entries = init instanceof SimulatedHeaders ? init.entries() : Object.entries(init ?? {});
    for (const [name, value] of entries) this.set(name, value);
  }

  entries(): IterableIterator<[string, string]> {
    return this.#values.entries();
  }

  get(name: string): string | null {
    return this.#values.get(name.toLowerCase()) ?? null;
  }

  has(name: string): boolean {
    return this.#values.has(name.toLowerCase());
  }

  set(name: string, value: unknown): void {
    this.#values.set(name.toLowerCase(), String(value));
  }

  delete(name: string): void {
    this.#values.delete(name.toLowerCase());
  }
}

interface RequestInit {
  readonly method?: string | undefined;
  readonly headers?: Init;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

export class SimulatedRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: SimulatedHeaders;
  readonly signal: AbortSignal | undefined;
  /** The body that is sent. Unlike `body`, no stream. */
  readonly text: string;
  readonly body = null;

  constructor(input: string | URL | SimulatedRequest, init: RequestInit = {}) {
    const from = input instanceof SimulatedRequest ? input : undefined;
    this.url = from?.url ?? String(input);
    this.method = init.method ?? from?.method ?? 'GET';
    this.headers = new SimulatedHeaders(init.headers ?? from?.headers);
    this.signal = init.signal ?? from?.signal;
    this.text = typeof init.body === 'string' ? init.body : (from?.text ?? '');
  }

  clone(): SimulatedRequest {
    return new SimulatedRequest(this);
  }
}

/** Reads a body: its bytes, then the end. */
export interface BodyReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}

export class SimulatedResponse {
  readonly statusText = '';
  readonly ok: boolean;
  readonly body: { getReader(): BodyReader; cancel(): Promise<void> };

  constructor(
    readonly status: number,
    readonly headers: SimulatedHeaders,
    /** Called once, when the body is read. */
    read: () => Promise<Uint8Array>,
  ) {
    this.ok = status >= 200 && status < 300;
    const cancel = async () => {};
    let isRead = false;
    this.body = {
      cancel,
      getReader: () => ({
        cancel,
        async read() {
          if (isRead) return { done: true };
          isRead = true;
          return { done: false, value: await read() };
        },
      }),
    };
  }
}
