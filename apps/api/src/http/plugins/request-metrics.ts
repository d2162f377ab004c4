import type { Metrics } from '../metrics/metrics.ts';
import type { ZodApp } from '../zod-app.ts';

export function measureRequests(app: ZodApp, metrics: Metrics): void {
  app.addHook('onResponse', async ({ method, routeOptions }, { statusCode, elapsedTime }) => {
    const route = routeOptions.url ?? 'unknown';
    // A request that matches no route can have any word as its method, and each label value would be kept.
    const labels = routeOptions.url === undefined ? { method: 'any', route } : { method, route };
    const status_class = `${Math.floor(statusCode / 100)}xx`;
    metrics.requestDuration.observe({ ...labels, status_class }, elapsedTime / 1000);
  });
}
