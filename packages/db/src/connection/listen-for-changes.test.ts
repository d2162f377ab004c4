import { randomUUID } from 'node:crypto';
import { DatabaseProxy } from '@session/testing';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import type { TestProject } from '../../testing/project.ts';
import { test } from '../../testing/project-test.ts';
import { insertAgent } from '../queries/agents/agent-insertion.ts';
import { closeSession } from '../queries/sessions/session-end.ts';
import {
  type Channel,
  type Listening,
  type ListenTiming,
  listenForChanges,
} from './listen-for-changes.ts';

function listen({ url }: Pick<TestProject, 'url'>, timing?: ListenTiming) {
  const notifications: string[] = [];
  const began: Channel[] = [];
  const listening: Listening = {
    onChange: (channel, id) => notifications.push(`${channel} ${id}`),
    onListening: (channel) => began.push(channel),
  };
  const disposable = listenForChanges(url, ['session_changed', 'agent_changed'], listening, timing);
  return { notifications, began, [Symbol.asyncDispose]: () => disposable[Symbol.asyncDispose]() };
}

test('listeners are notified at once of sessions created and closed, and of agents wanted and unwanted', async ({
  project,
}) => {
  await using listener = listen(project);
  const { notifications, began } = listener;
  await expect.poll(() => began).toHaveLength(2);
  const sessionId = await project.newSession();
  const id = uuidv7();
  const part = { role: 'echo-agent', planId: null, envTemplateId: null, config: {} };
  await insertAgent(project, { id, sessionId, createdBy: project.userId, ...part });
  await closeSession(project, sessionId, 'user');
  await closeSession(project, sessionId, 'user');
  const twice = [`session_changed ${sessionId}`, `agent_changed ${id}`];
  await expect.poll(() => notifications.toSorted()).toEqual([...twice, ...twice].toSorted());
});

test('after its connection was cut, a listener listens again and reports it', async ({
  project,
}) => {
  await using listener = listen(project);
  const { notifications, began } = listener;
  await expect.poll(() => began).toHaveLength(2);
  await project.sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'listen'`;
  await expect.poll(() => began).toHaveLength(4);
  const sessionId = await project.newSession();
  await expect.poll(() => notifications).toEqual([`session_changed ${sessionId}`]);
});

test('after its connection has gone silent, a listener listens again', async ({ project }) => {
  await using databaseProxy = await DatabaseProxy.open(project.url);
  const timing = { checkEveryMs: 50, answerTimeoutMs: 200 };
  await using listener = listen({ ...project, url: databaseProxy.url }, timing);
  const { notifications, began } = listener;
  await expect.poll(() => began.length).toBeGreaterThan(0);
  // An answer that is late counts as silence too.
  for (let count = 0; count < 2; count += 1) {
    const before = began.length;
    databaseProxy.silenceOpenConnections();
    await expect.poll(() => began.length).toBeGreaterThan(before);
  }
  const sessionId = await project.newSession();
  await expect.poll(() => notifications).toContain(`session_changed ${sessionId}`);
});

test('a database that is away at the start does not stop a listener', async ({ project }) => {
  const url = new URL(project.url);
  url.pathname = `/late_${randomUUID().replaceAll('-', '')}`;
  const began: Channel[] = [];
  await using stack = new AsyncDisposableStack();
  stack.use(
    listenForChanges(url.href, ['session_changed'], {
      onChange: () => {},
      onListening: (channel) => began.push(channel),
    }),
  );
  await project.sql`create database ${project.sql(url.pathname.slice(1))}`;
  await expect.poll(() => began).toEqual(['session_changed']);
  await project.sql`drop database ${project.sql(url.pathname.slice(1))} with (force)`;
});
