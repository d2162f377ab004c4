import { type Channel, type Listening, listenForChanges } from '@session/db';
import type { ZodApp } from '../zod-app.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Registers a listener before the app is ready; it listens until the app closes. */
    onNotification(channel: Channel, listener: Listening): void;
  }
}

export function receiveNotifications(app: ZodApp, url: string): void {
  const listeners = new Map<Channel, Listening[]>();
  app.decorate('onNotification', (channel: Channel, listener: Listening) => {
    listeners.set(channel, [...(listeners.get(channel) ?? []), listener]);
  });
  const listening = new AsyncDisposableStack();
  app.addHook('onReady', async () => {
    const all: Listening = {
      onChange(channel, id) {
        for (const listener of listeners.get(channel) ?? []) listener.onChange(channel, id);
      },
      onListening(channel) {
        for (const listener of listeners.get(channel) ?? []) listener.onListening(channel);
      },
    };
    listening.use(listenForChanges(url, [...listeners.keys()], all));
  });
  app.addHook('preClose', () => listening.disposeAsync());
}
