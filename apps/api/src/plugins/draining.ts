import type { ZodApp } from '../zod-app.ts';

/**
 * Lets the last answers end their connections when the server closes. Fastify ends those that are idle at that moment;
 * one that is answered later would stay open, and the process with it, for as long as it is kept alive.
 */
export function endConnectionsOnClose(app: ZodApp): void {
  let isClosing = false;
  app.addHook('preClose', async () => {
    isClosing = true;
  });
  app.addHook('onSend', async (_request, reply) => {
    if (isClosing) void reply.header('connection', 'close');
  });
  app.addHook('onResponse', async () => {
    // Of those whose headers were already under way.
    if (isClosing) setImmediate(() => app.server.closeIdleConnections());
  });
}
