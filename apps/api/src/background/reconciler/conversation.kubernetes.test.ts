import type { RoomEvent } from '@session/contract/room';
import { joinRoom, userToken } from '@session/media';
import { testMedia } from '@session/testing';
import { expect, onTestFinished, test } from 'vitest';
import type { TestAgents } from '../../../testing/agents.ts';
import { namesOfSecretsWith, openPods, podsIn } from '../../../testing/pods.ts';

const KEY = 'a-key-that-only-the-secret-may-have';
const VARIABLES = { LLM_API_KEY: 'rehearsal', TTS_API_KEY: KEY, STT_PROVIDER: 'none' };
const STEPS = [
  { title: 'Day', instructions: 'Ask for the day.', deliverable: 'The day' },
  { title: 'Name', instructions: 'Ask for the name.', deliverable: 'The name' },
];

test.each(['light-agent'])(
  'a %s as a pod talks and follows its plan to the end; its keys are in its secret alone',
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
