import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createClient } from '@session/client';
import { interopFramework } from '@session/testing';
import { v7 as uuidv7 } from 'uuid';
import { expect, onTestFinished, test } from 'vitest';
import { makeStackFolder, startTestStack, until } from '../../testing/stack.ts';

const program = fileURLToPath(new URL('../../../interop/framework_agent.py', import.meta.url));
const why = interopFramework() === '' ? ' (skipped: livekit-agents could not be installed)' : '';

test.skipIf(why !== '')(
  `an agent of LiveKit’s framework joins by what its start answered alone, answers as an assistant, and is sent out when it is stopped${why}`,
  { timeout: 180_000 },
  async () => {
    const { apiUrl } = await startTestStack(await makeStackFolder('external-agent')).up();
    const account = { email: 'ada@example.org', password: 'correct horse', name: 'Ada' };
    const { token } = await createClient({ baseUrl: apiUrl }).auth.signUp(account);
    const client = createClient({ baseUrl: apiUrl, token: () => token });
    const { id: projectId } = await client.projects.create({ name: 'First' });
    const { id } = await client.sessions.create(projectId, { name: 'Hello' });
    await until(async () => (await client.sessions.get(id)).recording.status === 'recording');

    const { connect, id: agentId } = await client.agents.start(id, { role: 'external' });
    const env = { PATH: process.env['PATH'], ...connect };
    const child = spawn(interopFramework(), [program], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    onTestFinished(async () => {
      child.kill('SIGKILL');
      await exited;
    });
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    expect(await lines.next()).toMatchObject({ value: 'ready' });
    expect(await client.agents.untilRunning(agentId)).toMatchObject({ restarts: 0 });

    const said = { id: uuidv7(), content: 'over REST' };
    const identity = `agent-external-${agentId.slice(-8)}`;
    expect(await client.messages.say(id, said)).toMatchObject({ deliveredTo: [identity] });
    const answers = async () => {
      const stored = await client.messages.list(id).toArray({ limit: 100 });
      return stored.filter(({ content }) => content === `You said: ${said.content}`);
    };
    await expect
      .poll(answers)
      .toMatchObject([{ role: 'assistant', metadata: { participant: { identity } } }]);

    await client.agents.stop(agentId);
    await until(async () => (await client.agents.get(agentId)).status === 'Stopped');
    const { items } = await client.agents.timeline(agentId);
    const events = items.map(({ event }) => event);
    expect(events.filter((event) => event !== 'first_words')).toEqual([
      'requested',
      'joined',
      'stopped',
    ]);
    await until(
      async () => (await client.messages.say(id, { content: 'gone?' })).deliveredTo?.length === 0,
    );
  },
);
