import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { pause } from '@session/kit';
import { expect } from 'vitest';
import type { TestUser } from './api.ts';
import { ownApiTest } from './api-test.ts';
import { START } from './history.ts';

export interface StreamedEvent {
  readonly name: string;
  readonly id: string | undefined;
  readonly data: {
    readonly id?: string;
    readonly content?: string;
    readonly reason?: string;
    readonly type?: string;
  };
}

/** As `apiTest`, with the `address` of a real port: only real connections show how a stream goes on and ends. */
export const streamTest = ownApiTest.extend(
  'address',
  async ({ api }) => await api.app.listen({ port: 0, host: '127.0.0.1' }),
);

interface StreamOptions {
  readonly since?: string;
  readonly events?: 'true';
  readonly lastEventId?: string | undefined;
  readonly signal?: AbortSignal;
}

async function ask(
  address: string,
  { token }: TestUser,
  sessionId: string,
  { since, events, lastEventId, signal }: StreamOptions = {},
): Promise<IncomingMessage> {
  const headers = {
    authorization: `Bearer ${token}`,
    ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
  };
  const query = new URLSearchParams({ ...(since && { since }), ...(events && { events }) });
  const url = `${address}/sessions/${sessionId}/messages/stream?${query.toString()}`;
  const [response]: IncomingMessage[] = await once(get(url, { headers, signal }), 'response');
  if (!response) throw new Error('there is a response');
  // Otherwise a stream that is cut while nobody reads it would end the process.
  response.on('error', () => {});
  return response;
}

export async function open(...stream: Parameters<typeof ask>): Promise<IncomingMessage> {
  const response = await ask(...stream);
  expect([response.statusCode, response.headers['content-type']]).toEqual([
    200,
    'text/event-stream; charset=utf-8',
  ]);
  return response;
}

/** Yields the events of a stream; the first one only has an id, and no data. */
export async function* eventsOf(response: IncomingMessage): AsyncGenerator<StreamedEvent> {
  let fields = new Map<string, string>();
  for await (const line of createInterface({ input: response })) {
    if (line === '') {
      const name = fields.get('event') ?? 'message';
      if (fields.has('id') || fields.has('data')) {
        yield { name, id: fields.get('id'), data: JSON.parse(fields.get('data') ?? '{}') };
      }
      fields = new Map();
    } else {
      const [, name = '', value = ''] = /^(\w*): ?(.*)$/.exec(line) ?? [];
      fields.set(name, value);
    }
  }
}

/**
 * Follows a session as clients do until `signal` aborts: reconnects after the last event whenever its stream has ended. Adds
 * all events but `end` to `seen`.
 */
export async function followOn(
  address: string,
  user: TestUser,
  sessionId: string,
  { seen, signal }: { readonly seen: StreamedEvent[]; readonly signal: AbortSignal },
): Promise<void> {
  let lastEventId = START;
  while (!signal.aborted) {
    const response = await ask(address, user, sessionId, { lastEventId, signal });
    // The database is away.
    if (response.statusCode === 503) await pause(50, signal);
    else expect(response.statusCode).toBe(200);
    for await (const event of eventsOf(response)) {
      lastEventId = event.id ?? lastEventId;
      const isFirst = event.name === 'message' && event.data.id === undefined;
      if (!isFirst && event.name !== 'end') seen.push(event);
    }
  }
}

/** Opens a stream, and returns the events behind the first one. */
export async function opened(...stream: Parameters<typeof open>) {
  const events = eventsOf(await open(...stream));
  const { value: first } = await events.next();
  return { events, position: first?.id };
}
