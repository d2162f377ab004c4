import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../zod-app.ts';

/** Measures each answered request, by the pattern of its route: what no route matches is one of them. */
export function measureRequests(app: ZodApp, { metrics }: Pick<Deps, 'metrics'>): void {
  app.addHook('onResponse', async ({ method, routeOptions }, { statusCode, elapsedTime }) => {
    const route = routeOptions.url ?? 'unknown';
    // Any word can stand for the method of what no route matches.
    const labels = routeOptions.url === undefined ? { method: 'any', route } : { method, route };
    const status_class = `${Math.floor(statusCode / 100)}xx`;
    metrics.requestDuration.observe({ ...labels, status_class }, elapsedTime / 1000);
  });
}
