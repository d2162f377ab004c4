import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { CALLS } from '../testing/calls.ts';
import { events, json, scriptedServer } from '../testing/scripted-server.ts';

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

async function operations() {
  const file = path.join(import.meta.dirname, '../../../docs/openapi.json');
  const document: OpenApi = JSON.parse(await readFile(file, 'utf8'));
  return Object.entries(document.paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      request: `${method.toUpperCase()} ${template
        .replace('{version}', '1')
        .replace('{name}', 'find_rooms')
        .replaceAll(/\{\w+\}/g, 'id')}`,
    })),
  );
}

const ids = {
  projectId: 'id',
  sessionId: 'id',
  agentId: 'id',
  userId: 'id',
  otherEmail: 'ben@example.org',
  envTemplateId: 'id',
  planTemplateId: 'id',
  externalAgentId: 'id',
  agentTemplateId: 'id',
  apiKeyId: 'id',
  invitationId: 'id',
  secrets: { invitation: 'secret', password: 'secret' },
  signIn: { handle: 'handle', code: 'code', state: 'state' },
  webhookId: 'id',
  deliveryId: 'id',
  erasureId: 'id',
};

test('every operation of the API has a method, and every method an operation', async () => {
  const documented = (await operations()).map(({ operationId }) => operationId);
  const called = Object.values(CALLS).map(({ operationId }) => operationId);
  expect([...new Set(called)].toSorted()).toEqual(documented.toSorted());
  await using server = await scriptedServer(json({}));
  const methods = Object.entries(server.client()).flatMap(([resource, names]) =>
    Object.entries(names).flatMap(([name, value]) =>
      typeof value === 'function' ? [`${resource}.${name}`] : [],
    ),
  );
  expect(Object.keys(CALLS).toSorted()).toEqual(methods.toSorted());
});

test.each(Object.entries(CALLS))(
  '%s calls its operation, with known parameters, and a key where the operation takes one',
  async (_, { operationId, call }) => {
    const operation = (await operations()).find((one) => one.operationId === operationId);
    const answer = { items: [], nextCursor: null, problems: [], status: 'Running' };
    const end = events('event: end\ndata: {"reason":"not_found"}\n\n');
    await using server = await scriptedServer((response, received) =>
      (received.headers.accept === 'text/event-stream' ? end : json(answer))(response, received),
    );
    await call(server.client(), ids);
    const [received] = server.received;
    const { pathname, searchParams } = new URL(received?.url ?? '', server.url);
    expect(`${received?.method} ${pathname}`).toBe(operation?.request);
    const parameters = operation?.parameters ?? [];
    const queries = parameters.filter((one) => one.in === 'query').map(({ name }) => name);
    expect(queries).toEqual(expect.arrayContaining([...searchParams.keys()]));
    const takesKey = parameters.some(({ name }) => name === 'idempotency-key');
    const isDry = searchParams.has('dryRun');
    expect(received?.headers['idempotency-key'] !== undefined).toBe(takesKey && !isDry);
  },
);
