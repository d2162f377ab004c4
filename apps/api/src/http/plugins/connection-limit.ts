import type { ZodApp } from '../zod-app.ts';
import { onceAMinute } from './rare-warning.ts';

export function limitConnections({ server, log }: ZodApp, max: number): void {
  const rarely = onceAMinute();
  server.maxConnections = max;
  server.on('drop', () => {
    rarely(() => log.warn({ max }, 'closed new connections: API_MAX_CONNECTIONS reached'));
  });
}
