import type { PacketEvent, RoomEvent } from '@session/contract/room';
import { decodeNumbered } from '@session/contract/room';
import { appendMessages } from '@session/db';
import { joinRoom, userToken } from '@session/media';
import { testMedia } from '@session/testing';
import { v7 as uuidv7 } from 'uuid';
import type { TestAgents } from './agents.ts';
import { spoken } from './history.ts';

/** Creates a project with an agent template that has these fields, and a session. */
export async function prepareAgent(
  { api, ana }: TestAgents,
  baseUrl: string | undefined,
  fields: object,
) {
  const projectId = await api.createProject(ana);
  const post = (url: string, payload: object) => api.inject(ana, { method: 'POST', url, payload });
  const model = baseUrl
    ? { LLM_BASE_URL: baseUrl, LLM_API_KEY: 'sk-of-the-tests', LLM_MODEL: 'scripted' }
    : { LLM_API_KEY: 'rehearsal' };
  await post(`/projects/${projectId}/env-templates`, { name: 'keys', variables: model });
  const template = { name: 'Desk', role: 'light-agent', greeting: 'off', ...fields };
  const created = await post(`/projects/${projectId}/agent-templates`, template);
  const sessionId = await api.createSession(ana, projectId);
  const agentTemplateId = created.json().id;
  const start = async (variables = {}, templateId = agentTemplateId): Promise<string> =>
    (await post(`/sessions/${sessionId}/agents`, { agentTemplateId: templateId, variables })).json()
      .id;
  const successors: object[] = [];
  /** Creates another template. Agents of the first template may hand over to it by this name, and to those created before. */
  const addSuccessor = async (
    successor: { readonly name: string } & Readonly<Record<string, unknown>>,
  ): Promise<string> => {
    const url = `/projects/${projectId}/agent-templates`;
    const { id } = (await post(url, { role: 'light-agent', ...successor })).json();
    successors.push({ agentTemplateId: id, name: successor.name });
    const payload = { handover: { agents: successors } };
    const change = { url: `/agent-templates/${agentTemplateId}`, payload };
    await api.inject(ana, { method: 'PATCH', ...change });
    return id;
  };
  return { sessionId, start, addSuccessor };
}

interface RecordedRoom extends AsyncDisposable {
  /** The texts of the text streams in the room. */
  readonly texts: readonly string[];
}

/** Joins as Ann, and stores the messages of the room, as a recorder does. Disposal leaves, and waits until all are stored. */
export async function recordRoom({ api }: TestAgents, sessionId: string): Promise<RecordedRoom> {
  const texts: string[] = [];
  const stored: Promise<void>[] = [];
  const early: PacketEvent[] = [];
  const onEvent = (event: RoomEvent) => {
    if (event.type === 'text_stream') texts.push(event.text);
    // LiveKit may deliver an agent's first report before it announces the agent. A recorder looks for the sender of such a
    // report, too.
    if (event.type === 'packet' && event.sender === null && isHandover(event)) early.push(event);
    if (event.type === 'participant_joined') {
      for (const packet of early.splice(0)) onEvent({ ...packet, sender: event.participant });
    }
    const decoded = decodeNumbered(event, { sessionId, newId: uuidv7 });
    if (decoded.outcome !== 'store') return;
    const { id, role, kind, content, metadata } = decoded.message;
    const row = spoken(sessionId, { id, role, kind, content, metadata });
    stored.push(appendMessages(api.deps.database, [row]).then(() => notifyStored(api, sessionId)));
  };
  const media = testMedia();
  const { token } = await userToken(media, { room: sessionId, userId: 'ann', name: 'Ann' });
  const ann = await joinRoom({ url: media.url, token, onEvent });
  return {
    texts,
    async [Symbol.asyncDispose]() {
      await ann.leave();
      await Promise.all(stored);
    },
  };
}

function isHandover({ payload }: PacketEvent): boolean {
  return Buffer.from(payload).includes('"type":"handover"');
}

export async function notifyStored({ deps }: TestAgents['api'], sessionId: string): Promise<void> {
  await deps.database.sql`select pg_notify('messages_stored', ${sessionId})`;
}

export async function sayIn(
  { api, ana }: TestAgents,
  sessionId: string,
  content: string,
): Promise<void> {
  await api.inject(ana, {
    method: 'POST',
    url: `/sessions/${sessionId}/messages`,
    payload: { content },
  });
}
