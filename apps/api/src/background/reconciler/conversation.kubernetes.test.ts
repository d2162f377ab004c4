import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { RoomEvent } from '@session/contract/room';
import { joinRoom, userToken } from '@session/media';
import { testCluster, testMedia } from '@session/testing';
import { expect, onTestFinished, test } from 'vitest';
import { pidsWith } from '../../../testing/agent-processes.ts';
import type { TestAgents } from '../../../testing/agents.ts';
import { namesOfSecretsWith, openPods, podsIn } from '../../../testing/pods.ts';

/** The test's own cluster makes a pod's root read-only where it may mount. */
const isReadOnly = testCluster().own !== undefined && process.getuid?.() === 0;
const TMP_BYTES = 64 * 2 ** 20;
const KEY = 'a-key-that-only-the-secret-may-have';
const VARIABLES = { LLM_API_KEY: 'rehearsal', TTS_API_KEY: KEY, STT_PROVIDER: 'none' };
const STEPS = [
  { title: 'Day', instructions: 'Ask for the day.', deliverable: 'The day' },
  { title: 'Name', instructions: 'Ask for the name.', deliverable: 'The name' },
];

test.each(['light-agent', 'core-agent', 'conversational-ai'])(
  'a %s as a pod talks, follows its plan to the end, and writes nowhere but in /tmp; its keys are in its secret alone',
  async (role) => {
    await using pods = await openPods();
    const { agents, namespace } = pods;
    const { sessionId, planId } = await createConversation(agents);
    const ann = await joinAsAnn(sessionId);
    await agents.open();
    const { api, ana } = agents;
    const url = `/sessions/${sessionId}/agents`;
    const started = await api.inject(ana, { method: 'POST', url, payload: { role, planId } });
    const { id } = started.json();
    await agents.until(id, 'Running');
    await expect.poll(ann.texts, { timeout: 30_000 }).toHaveLength(1);
    await ann.say('Tuesday');
    await expect.poll(ann.texts, { timeout: 30_000 }).toHaveLength(2);
    await ann.say('Ann');
    await expect.poll(ann.texts, { timeout: 30_000 }).toHaveLength(3);
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

    const [pid = 0] = isReadOnly ? await pidsWith(new Set([`AGENT_ID=${id}`])) : [];
    const folders = isReadOnly ? await writableFolders(pid) : [];
    expect(folders.filter((folder) => !folder.endsWith('empty-dir/tmp'))).toEqual([]);
    expect(sum(await Promise.all(folders.map(sizeOf)))).toBeLessThan(TMP_BYTES);
    await agents.stop(id);
    expect(await agents.until(id, 'Stopped')).toMatchObject({ reason: 'requested', exitCode: 0 });
    await expect.poll(() => namesOfSecretsWith(namespace, KEY)).toEqual([]);
  },
  120_000,
);

/** Creates a session in a project with an environment template and a plan. */
async function createConversation({ api, ana }: TestAgents) {
  const projectId = await api.createProject(ana);
  const create = async (noun: string, payload: object): Promise<{ readonly id: string }> =>
    (
      await api.inject(ana, { method: 'POST', url: `/projects/${projectId}/${noun}`, payload })
    ).json();
  await create('env-templates', { name: 'model', variables: VARIABLES });
  const { id: planId } = await create('plan-templates', { name: 'Booking', steps: STEPS });
  return { sessionId: await api.createSession(ana, projectId), planId };
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
  return sum(stats.map(({ size }) => size));
}

function sum(sizes: readonly number[]): number {
  return sizes.reduce((total, size) => total + size, 0);
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
    texts: () => events.flatMap((event) => (event.type === 'text_stream' ? [event.text] : [])),
    packets: () =>
      events.flatMap((event) =>
        event.type === 'packet' ? [Buffer.from(event.payload).toString()] : [],
      ),
  };
}
