import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { joinRoom, userToken } from '@session/media';
import { testMedia } from '@session/testing';
import { expect, onTestFinished, test } from 'vitest';
import { openTestAgents } from '../../../testing/agents.ts';

const ROOT = path.resolve(import.meta.dirname, '../../../../..');

/**
 * Repeats each text, with the greeting of its environment template and with what it could read of a file of the API.
 */
const PROGRAM = `
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
const { Room, RoomEvent } = createRequire('${ROOT}/packages/media/package.json')('@livekit/rtc-node');
const secret = (() => { try { return readFileSync('/proc/self/environ', 'utf8'); } catch (error) { return error.code; } })();
const room = new Room();
room.on(RoomEvent.DataReceived, async (payload) => {
  const { data } = JSON.parse(new TextDecoder().decode(payload));
  const text = [process.env.BOOKING_GREETING, process.env.OTHER, secret, data].join(' ');
  await room.localParticipant.sendText(text, { topic: 'lk.transcription' });
});
await room.connect(process.env.MEDIA_URL, process.env.MEDIA_TOKEN, { autoSubscribe: true, dynacast: false });
await room.localParticipant.setAttributes({ 'lk.agent.state': 'listening' });
process.once('SIGTERM', async () => { await room.disconnect(); process.exit(0); });
process.once('disconnect', () => process.exit());
setInterval(() => {}, 1000);
`;

test('a role of the file runs as a process, under the permissions of its row, and answers', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'own-role-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const node = path.join(folder, 'main.mjs');
  await writeFile(node, PROGRAM);
  const reads = ['packages', 'node_modules'].map((name) => path.join(ROOT, name));
  const role = {
    name: 'booking-agent',
    title: 'Booking',
    description: 'Takes bookings.',
    conversation: 'text',
    run: { node, reads },
    variables: [{ name: 'BOOKING_GREETING', required: true, secret: false }],
  };
  const file = path.join(folder, 'roles.json');
  await writeFile(file, JSON.stringify({ roles: [role] }));
  await using agents = await openTestAgents({ env: { AGENT_ROLES: file } });
  const { api, ana } = agents;
  await agents.open();
  const types = (await api.inject(ana, { url: '/agent-types' })).json();
  const shown = types.find((type: { role: string }) => type.role === 'booking-agent');
  expect(shown).toMatchObject({
    available: true,
    capabilities: ['text'],
    requiredVariables: ['BOOKING_GREETING'],
  });

  const sessionId = await api.createSession(ana);
  const { projectId } = (await api.inject(ana, { url: `/sessions/${sessionId}` })).json();
  const post = async (url: string, payload: object) =>
    await api.inject(ana, { method: 'POST', url, payload });
  const start = () => post(`/sessions/${sessionId}/agents`, { role: 'booking-agent' });
  expect((await start()).json().code).toBe('env_template_required');
  const variables = { LLM_API_KEY: 'local', BOOKING_GREETING: 'Hello', OTHER: 'not listed' };
  const made = await post(`/projects/${projectId}/env-templates`, { name: 'booking', variables });
  expect(made.statusCode).toBe(201);
  const started = await start();
  expect(started.json()).toMatchObject({ role: 'booking-agent', status: 'Starting' });
  const { id } = started.json();
  await agents.until(id, 'Running');

  const answers: string[] = [];
  const { token } = await userToken(testMedia(), { room: sessionId, userId: 'ana', name: 'Ana' });
  await using room = await joinRoom({
    url: testMedia().url,
    token,
    onEvent: (event) => void (event.type === 'text_stream' && answers.push(event.text)),
  });
  await room.say('hi');
  await expect.poll(() => answers).toEqual(['Hello  ERR_ACCESS_DENIED hi']);
  await agents.stop(id);
  expect(await agents.until(id, 'Stopped')).toMatchObject({ reason: 'requested' });
});
