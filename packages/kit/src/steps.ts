import type { AsyncLocalStorage } from 'node:async_hooks';
import { tracingChannel } from 'node:diagnostics_channel';

interface StepRun {
  readonly name: string;
  readonly error?: unknown;
}

const CHANNEL = 'session-service:step';
const STEPS = tracingChannel<StepRun>(CHANNEL);

/** Returns what `work` returns. Traces show it as a step called `name`, which must contain no value. */
export async function step<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  if (!STEPS.hasSubscribers) return await work();
  return await STEPS.tracePromise(work, { name });
}

export interface StepObserver<Store> {
  begin(name: string): Store;
  end(store: Store, error: unknown): void;
}

/**
 * Observes all steps in this process until the result is disposed of. Within a step, `storage` holds what `begin` returned.
 */
export function observeSteps<Store>(
  storage: AsyncLocalStorage<Store>,
  observer: StepObserver<Store>,
): Disposable {
  const open = new WeakMap<StepRun, Store>();
  const subscribers = {
    start: () => {},
    end: () => {},
    asyncStart: () => {},
    error: () => {},
    asyncEnd(run: StepRun) {
      const store = open.get(run);
      if (store !== undefined) observer.end(store, run.error);
    },
  };
  const stores = tracingChannel<StepRun, Store>(CHANNEL);
  stores.start.bindStore(storage, (run) => {
    const store = observer.begin(run.name);
    open.set(run, store);
    return store;
  });
  stores.subscribe(subscribers);
  return {
    [Symbol.dispose]() {
      stores.unsubscribe(subscribers);
      stores.start.unbindStore(storage);
    },
  };
}
