import type { ZodApp } from '../zod-app.ts';

const WARNING_INTERVAL_MS = 60_000;

/** Closes each connection beyond `max` at once, and logs that at most once a minute. */
export function limitConnections({ server, log }: ZodApp, max: number): void {
  let lastMs = Number.NEGATIVE_INFINITY;
  server.maxConnections = max;
  server.on('drop', () => {
    const nowMs = performance.now();
    if (nowMs - lastMs < WARNING_INTERVAL_MS) return;
    lastMs = nowMs;
    log.warn({ max }, 'closed new connections: API_MAX_CONNECTIONS is reached');
  });
}
