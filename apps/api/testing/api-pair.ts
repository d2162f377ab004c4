import { type ApiProcess, startApi } from './api-process.ts';

export interface ApiPair extends AsyncDisposable {
  /** Ends the older of the two APIs, and starts another one. */
  replace(signal: NodeJS.Signals): Promise<void>;
}

/** Starts two APIs with the options of `startApi`. One of them leads. */
export async function startApiPair(...options: Parameters<typeof startApi>): Promise<ApiPair> {
  const running: ApiProcess[] = [await startApi(...options), await startApi(...options)];
  return {
    async replace(signal) {
      await running.shift()?.end(signal);
      running.push(await startApi(...options));
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(running.map((api) => api.end('SIGTERM')));
    },
  };
}
