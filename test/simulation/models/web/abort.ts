type Listener = (event: { readonly type: 'abort' }) => void;

const EVENT = { type: 'abort' } as const;

/**
 * `AbortSignal` with what src/ uses of it. Node's own is an EventTarget with weak references, and takes a large part of a
 * schedule's time. It leaves out `any`, `timeout`, `throwIfAborted`, `onabort` and other events.
 */
export class SimulatedAbortSignal {
  #aborted = false;
  #reason: unknown;
  #listeners: Listener[] = [];

  get aborted(): boolean {
    return this.#aborted;
  }

  /** By default an error that is created when it is read, as most are not. */
  get reason(): unknown {
    if (this.#aborted) this.#reason ??= new DOMException('This operation was aborted', 'AbortError');
    return this.#reason;
  }

  addEventListener(type: string, listener: Listener): void {
    if (type !== 'abort') throw new Error(`The AbortSignal model does not know the event ${type}.`);
    if (!this.#listeners.includes(listener)) this.#listeners.push(listener);
  }

  removeEventListener(_type: string, listener: Listener): void {
    this.#listeners = this.#listeners.filter((each) => each !== listener);
  }

  /** For its controller. */
  end(reason: unknown): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#reason = reason;
    for (const listener of this.#listeners.splice(0)) listener(EVENT);
  }
}

export class SimulatedAbortController {
  readonly signal = new SimulatedAbortSignal();

  abort(reason?: unknown): void {
    this.signal.end(reason);
  }
}
