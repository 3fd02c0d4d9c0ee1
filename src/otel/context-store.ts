import { AsyncLocalStorage } from 'node:async_hooks';
import { type Context, context } from '@opentelemetry/api';
import { guarded } from './guarded.js';

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
