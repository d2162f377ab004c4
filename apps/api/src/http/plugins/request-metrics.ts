import type { Metrics } from '../metrics/metrics.ts';
import type { ZodApp } from '../zod-app.ts';

export function measureRequests(app: ZodApp, metrics: Metrics): void {
  app.addHook('onResponse', (request, { statusCode, elapsedTime }, done) => {
    const { url } = request.routeOptions;
    const labels = {
      // A request that matches no route can have any word as its method, and each label value would be kept.
      method: url === undefined ? 'any' : request.method,
      route: url ?? 'unknown',
      status_class: `${Math.floor(statusCode / 100)}xx`,
    };
    metrics.requestDuration.observe(labels, elapsedTime / 1000);
    done();
  });
}
