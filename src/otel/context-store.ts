import { AsyncLocalStorage } from 'node:async_hooks';
import { type Context, context } from '@opentelemetry/api';
import { guarded } from './guarded.js';

/** What context managers have, and newer versions of the API, for contexts that are entered and left. */
interface Attaching {
  attach?(context: Context): { dispose(): void };
}

const dispose: symbol = (Symbol as { dispose?: symbol }).dispose ?? Symbol.for('Symbol.dispose');

/**
 * A store that a channel's `start` can be bound to: while the traced work runs, its context is the active one of
 * OpenTelemetry. Whatever the context manager does, the work runs exactly once; it is async, so it throws nothing here.
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

  /** What runtimes call that enter a channel's stores as scopes, as Node 26 does, instead of `run`. */
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

/** Makes a context the active one where the API or its context manager can; spans have the right parents without. */
function attach(entered: Context): { dispose(): void } | undefined {
  const api = context as unknown as Attaching & { _getContextManager?(): Attaching };
  return api.attach ? api.attach(entered) : api._getContextManager?.().attach?.(entered);
}
