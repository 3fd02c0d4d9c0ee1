import { AsyncLocalStorage } from 'node:async_hooks';
import { tracingChannel } from 'node:diagnostics_channel';
import { type Context, context, diag } from '@opentelemetry/api';

/** How to follow a message: the context to activate during its work, and a callback for its end. */
export interface Followed {
  readonly context?: Context | undefined;
  finish(): void;
}

/**
 * Follows each message of one of the receiver's channels from start to end, even if `begin` or `finish` throws. Returns
 * a function that stops following new messages; those in progress are finished.
 */
export function follow<Message extends object>(
  name: 'delivery' | 'event' | 'handler',
  begin: (message: Message) => Followed | undefined,
  store = new ContextStore(),
): () => void {
  const { start, asyncEnd } = tracingChannel<unknown, Message>(`event-webhook-receiver:${name}`);
  const underWay = new Map<unknown, Followed>();
  let stopped = false;

  const onEnd = (message: unknown) => {
    const followed = underWay.get(message);
    underWay.delete(message);
    if (followed) guarded(() => followed.finish());
    leave();
  };
  const leave = () => {
    if (stopped && underWay.size === 0) asyncEnd.unsubscribe(onEnd);
  };

  start.bindStore(store, (message) => {
    const followed = guarded(() => begin(message as Message));
    if (followed) underWay.set(message, followed);
    return followed?.context;
  });
  asyncEnd.subscribe(onEnd);
  return () => {
    stopped = true;
    start.unbindStore(store);
    leave();
  };
}

/** Methods of context managers and newer API versions to enter and leave a context. */
interface Attaching {
  attach?(context: Context): { dispose(): void };
}

const dispose: symbol = (Symbol as { dispose?: symbol }).dispose ?? Symbol.for('Symbol.dispose');

/**
 * A store to bind to a channel's `start`: while the traced work runs, its context is OpenTelemetry's active one.
 * Whatever the context manager does, the work runs exactly once. The work is async, so it does not throw synchronously.
 */
export class ContextStore extends AsyncLocalStorage<Context | undefined> {
  override run<R, Args extends unknown[]>(entered: Context | undefined, work: (...args: Args) => R, ...args: Args): R {
    if (entered === undefined) return work(...args);
    let called = false;
    let result: R | undefined;
    const once = () => {
      if (called) return;
      called = true;
      result = work(...args);
    };
    super.run(entered, () => {
      guarded(() => context.with(entered, once));
      once();
    });
    return result as R;
  }

  /** Called instead of `run` by runtimes that enter a channel's stores as scopes, such as Node 26. */
  withScope(entered: Context | undefined): object {
    if (entered === undefined) return { [dispose]() {} };
    const before = this.getStore();
    this.enterWith(entered);
    const attached = guarded(() => attach(entered));
    return {
      [dispose]: () => {
        guarded(() => attached?.dispose());
        this.enterWith(before);
      },
    };
  }
}

/** Activates a context if the API or its context manager can. Spans get the right parents without it. */
function attach(entered: Context): { dispose(): void } | undefined {
  const api = context as unknown as Attaching & { _getContextManager?(): Attaching };
  return api.attach ? api.attach(entered) : api._getContextManager?.().attach?.(entered);
}

/**
 * Runs instrumentation code and never throws: an error in a subscriber of a channel would end the process. Failures go to
 * OpenTelemetry's diagnostics.
 */
export function guarded<T>(watch: () => T): T | undefined {
  try {
    return watch();
  } catch (error) {
    try {
      diag.error('event-webhook-receiver: OpenTelemetry failed.', error);
    } catch {
      // A diagnostics logger that throws cannot be reported, and must not end the process.
    }
    return undefined;
  }
}
