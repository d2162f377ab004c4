import { type ApiProcess, startApi } from './api-process.ts';

export interface ApiPair extends AsyncDisposable {
  replace(signal: NodeJS.Signals): Promise<void>;
}

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
