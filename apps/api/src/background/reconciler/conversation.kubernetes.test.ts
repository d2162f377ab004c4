import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { RoomEvent } from '@session/contract/room';
import { agentIdentity } from '@session/contract/room';
import { calls, says, startScriptedModel } from '@session/conversation/testing';
import { startMcpServer } from '@session/conversation/testing/mcp';
import { joinRoom, userToken } from '@session/media';
import { VoiceUser } from '@session/media/testing';
import { speech, startSpeechEndpoints, testCluster, testMedia } from '@session/testing';
import { expect, onTestFinished, test } from 'vitest';
import { pidsWith } from '../../../testing/agent-processes.ts';
import type { TestAgents } from '../../../testing/agents.ts';
import { namesOfSecretsWith, openPods, podsIn } from '../../../testing/pods.ts';

/** The test's own cluster makes a pod's root read-only where it may mount. */
const isReadOnly = testCluster().own !== undefined && process.getuid?.() === 0;
const TMP_BYTES = 64 * 2 ** 20;
const KEY = 'a-key-that-only-the-secret-may-have';
const VARIABLES = {
  LLM_API_KEY: 'rehearsal',
  TTS_API_KEY: KEY,
  TTS_PROVIDER: 'none',
  STT_PROVIDER: 'none',
};
const STEPS = [
  { title: 'Day', instructions: 'Ask for the day.', deliverable: 'The day' },
  { title: 'Name', instructions: 'Ask for the name.', deliverable: 'The name' },
];

test.each(['light-agent', 'core-agent', 'conversational-ai'])(
  'a %s as a pod talks, follows its plan to the end, and writes nowhere but in /tmp; its keys are in its secret alone',
  async (role) => {
    await using pods = await openPods();
    const { agents, namespace } = pods;
    const sessionId = await createSession(agents, VARIABLES);
    const planId = await createPlan(agents, sessionId);
    const ann = await joinAsAnn(sessionId);
    await agents.open();
    const { api, ana } = agents;
    const url = `/sessions/${sessionId}/agents`;
    const started = await api.inject(ana, { method: 'POST', url, payload: { role, planId } });
    const { id } = started.json();
    await agents.until(id, 'Running');
    await expect.poll(ann.texts).toHaveLength(1);
    await ann.say('Tuesday');
    await expect.poll(ann.texts).toHaveLength(2);
    await ann.say('Ann');
    await expect.poll(ann.texts).toHaveLength(3);
    expect(ann.packets()).toContainEqual(expect.stringContaining('"plan_completed"'));
    expect(ann.texts()).toEqual([
      expect.stringContaining('Please tell me: The day.'),
      'Noted. Please tell me: The name.',
      'Noted. That was the whole plan. Thank you!',
    ]);

    const [pod] = await podsIn(namespace);
    expect(pod?.metadata?.labels).toMatchObject({ 'app.kubernetes.io/name': role });
    expect(JSON.stringify(pod)).not.toContain(KEY);
    expect(await namesOfSecretsWith(namespace, KEY)).toEqual([pod?.metadata?.name]);

    await expectWritesInTmp(id);
    await agents.stop(id);
    expect(await agents.until(id, 'Stopped')).toMatchObject({ reason: 'requested', exitCode: 0 });
    await expect.poll(() => namesOfSecretsWith(namespace, KEY)).toEqual([]);
  },
  120_000,
);

test.runIf(testCluster().own)(
  'a core-agent as a pod hears and speaks, and writes nowhere but in /tmp',
  async () => {
    // A busy machine tears what Ann says. Its parts are transcribed one by one.
    await using endpoints = await startSpeechEndpoints({
      transcribe: ({ index }) => (index === 0 ? 'Good morning' : ''),
    });
    await using pods = await openPods();
    const { agents } = pods;
    const { baseUrl } = endpoints;
    const sessionId = await createSession(agents, {
      LLM_API_KEY: 'rehearsal',
      GREETING: 'off',
      TURN_MAX_MS: '700',
      STT_BASE_URL: baseUrl,
      TTS_BASE_URL: baseUrl,
    });
    const ann = await VoiceUser.join(testMedia(), sessionId, 'Ann');
    onTestFinished(() => ann.leave());
    await agents.open();
    const { api, ana } = agents;
    const url = `/sessions/${sessionId}/agents`;
    const payload = { role: 'core-agent' };
    const { id } = (await api.inject(ana, { method: 'POST', url, payload })).json();
    await agents.until(id, 'Running');
    const hearing = await ann.hear(agentIdentity({ role: 'core-agent', agentId: id }));
    await ann.untilListenedTo();
    await ann.speak(speech(1500));
    await expect.poll(() => textsIn(ann.events)).toHaveLength(2);
    expect(textsIn(ann.events)).toEqual(['Good morning', 'You said: Good morning']);
    await expect.poll(() => hearing.tones).toHaveLength(1);
    await expectWritesInTmp(id);
    await agents.stop(id);
    expect(await agents.until(id, 'Stopped')).toMatchObject({ reason: 'requested', exitCode: 0 });
  },
  120_000,
);

test.runIf(testCluster().own)(
  'an agent as a pod has a template of 100,000 bytes, and calls the tool of an MCP server; its key is in its secret alone',
  async () => {
    await using crm = await startMcpServer((server) => {
      const content = [{ type: 'text' as const, text: 'Ada lives in Bern.' }];
      server.registerTool('search', {}, () => ({ content }));
    });
    await using model = await startScriptedModel(calls(['crm__search', {}]), says('In Bern.'));
    await using pods = await openPods({ env: { AGENT_TOOL_NETWORKS: '127.0.0.0/8' } });
    const { agents, namespace } = pods;
    const host = `127.0.0.1:${crm.port}`;
    const { baseUrl } = model.settings;
    const variables = { LLM_API_KEY: 'local', LLM_BASE_URL: baseUrl, LLM_MODEL: 'm', CRM_KEY: KEY };
    const sessionId = await createSession(agents, variables, { CRM_KEY: [host] });
    const agentTemplateId = await createAgentTemplate(agents, sessionId, {
      instructions: 'y'.repeat(32_700),
      plan: {
        name: 'Long',
        steps: Array.from({ length: 8 }, () => ({
          title: 'Step',
          instructions: 'x'.repeat(8000),
        })),
      },
      mcpServers: [
        {
          name: 'crm',
          url: `http://${host}/mcp`,
          headers: { authorization: 'Bearer {{env.CRM_KEY}}' },
          tools: [{ name: 'search' }],
        },
      ],
    });
    const ann = await joinAsAnn(sessionId);
    await agents.open();
    const { api, ana } = agents;
    const url = `/sessions/${sessionId}/agents`;
    const payload = { agentTemplateId };
    const { id } = (await api.inject(ana, { method: 'POST', url, payload })).json();
    await agents.until(id, 'Running');
    await ann.say('Where does Ada live?');
    await expect.poll(ann.texts).toEqual(['In Bern.']);
    expect(ann.packets()).toContainEqual(expect.stringContaining('Ada lives in Bern.'));
    expect(crm.headers.at(-1)?.authorization).toBe(`Bearer ${KEY}`);
    const [pod] = await podsIn(namespace);
    expect(JSON.stringify(pod)).not.toContain(KEY);
    expect(await namesOfSecretsWith(namespace, KEY)).toEqual([pod?.metadata?.name]);
    await agents.stop(id);
    expect(await agents.until(id, 'Stopped')).toMatchObject({ exitCode: 0 });
  },
  120_000,
);

/** Creates a session in a project with an environment template. */
async function createSession(
  { api, ana }: TestAgents,
  variables: Record<string, string>,
  hosts: Record<string, string[]> = {},
): Promise<string> {
  const projectId = await api.createProject(ana);
  const url = `/projects/${projectId}/env-templates`;
  await api.inject(ana, { method: 'POST', url, payload: { name: 'model', variables, hosts } });
  return await api.createSession(ana, projectId);
}

/** Creates an agent template in the project of a session, and returns its id. */
async function createAgentTemplate(
  { api, ana }: TestAgents,
  sessionId: string,
  fields: object,
): Promise<string> {
  const { projectId } = (await api.inject(ana, { url: `/sessions/${sessionId}` })).json();
  const url = `/projects/${projectId}/agent-templates`;
  const payload = { name: 'Desk', role: 'light-agent', greeting: 'off', ...fields };
  return (await api.inject(ana, { method: 'POST', url, payload })).json().id;
}

/** Creates a plan in the project of a session, and returns its id. */
async function createPlan({ api, ana }: TestAgents, sessionId: string): Promise<string> {
  const { projectId } = (await api.inject(ana, { url: `/sessions/${sessionId}` })).json();
  const url = `/projects/${projectId}/plan-templates`;
  const payload = { name: 'Booking', steps: STEPS };
  return (await api.inject(ana, { method: 'POST', url, payload })).json().id;
}

async function expectWritesInTmp(agentId: string): Promise<void> {
  if (!isReadOnly) return;
  const [pid = 0] = await pidsWith(new Set([`AGENT_ID=${agentId}`]));
  const folders = await writableFolders(pid);
  expect(folders).toEqual([expect.stringMatching(/empty-dir\/tmp$/)]);
  expect(await sizeOf(folders[0] ?? '')).toBeLessThan(TMP_BYTES);
}

/** Returns where a process of this machine may write, as its mounts say. */
async function writableFolders(pid: number): Promise<string[]> {
  const mounts = (await readFile(`/proc/${pid}/mounts`, 'utf8')).trimEnd().split('\n');
  return mounts.flatMap((mount) => {
    const [, folder = '', , options = ''] = mount.split(' ');
    return options.split(',').includes('rw') ? [folder] : [];
  });
}

async function sizeOf(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true });
  const stats = await Promise.all(names.map((name) => stat(path.join(folder, name))));
  return stats.reduce((total, { size }) => total + size, 0);
}

function textsIn(events: readonly RoomEvent[]): string[] {
  return events.flatMap((event) => (event.type === 'text_stream' ? [event.text] : []));
}

/** Joins a room as a person, who collects the texts and the packets of the room. */
async function joinAsAnn(room: string) {
  const events: RoomEvent[] = [];
  const media = testMedia();
  const { token } = await userToken(media, { room, userId: 'ann', name: 'Ann' });
  const onEvent = (event: RoomEvent) => void events.push(event);
  const joined = await joinRoom({ url: media.url, token, onEvent });
  onTestFinished(() => joined.leave());
  return {
    say: (text: string) => joined.say(text),
    texts: () => textsIn(events),
    packets: () =>
      events.flatMap((event) =>
        event.type === 'packet' ? [Buffer.from(event.payload).toString()] : [],
      ),
  };
}
