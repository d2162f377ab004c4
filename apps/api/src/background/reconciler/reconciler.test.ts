import { agentIdentity } from '@session/contract/room';
import { identify } from '@session/kit';
import { joinRoom, openRoomService, userToken } from '@session/media';
import { testMedia } from '@session/testing';
import { expect, test } from 'vitest';
import { openTestAgents, runs } from '../../../testing/agents.ts';

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

test('an agent is Starting, Running when ready in its room, where it answers, and Stopped `requested` with its log', async () => {
  await using agents = await openTestAgents();
  await agents.open();
  const { id, sessionId, status } = await agents.start();
  expect(status).toBe('Starting');
  const running = await agents.until(id, 'Running');
  expect(running).toMatchObject({ reason: null, startedAt: time, runningAt: time });
  expect(await agents.steps(id)).toEqual(['requested', 'admitted', 'started', 'joined']);
  const rooms = openRoomService(testMedia());
  const identity = agentIdentity({ role: 'echo-agent', agentId: id });
  expect(await rooms.listParticipants(sessionId)).toMatchObject([{ identity, kind: 'agent' }]);

  const answers: string[] = [];
  const { token } = await userToken(testMedia(), { room: sessionId, userId: 'ana', name: 'Ana' });
  await using room = await joinRoom({
    url: testMedia().url,
    token,
    onEvent: (event) => void (event.type === 'text_stream' && answers.push(event.text)),
  });
  await room.say('hello');
  await expect.poll(() => answers).toEqual(['You said: hello']);

  expect(await agents.stop(id)).toMatchObject({ id, reason: 'requested' });
  const stopped = await agents.until(id, 'Stopped');
  expect(stopped).toMatchObject({ reason: 'requested', exitCode: 0, stoppedAt: time });
  const log = await agents.logs(id);
  expect([log.complete, log.items.map(({ line }) => line)]).toEqual([
    true,
    [
      'echo mode: text',
      `joined room ${sessionId} as ${identity}`,
      expect.stringMatching(/^answered message .{36}$/),
    ],
  ]);
  expect(await agents.stop(id)).toEqual(stopped);
});

test('an agent whose program fails is `crashed`, with its exit code and its whole log', async () => {
  const program = 'for (let n = 0; n < 1000; n += 1) console.log(n); process.exitCode = 3;';
  await using agents = await openTestAgents({ programs: { 'light-agent': program } });
  await agents.open();
  const { id } = await agents.start('light-agent');
  const stopped = await agents.until(id, 'Stopped');
  expect(stopped).toMatchObject({ reason: 'crashed', exitCode: 3, runningAt: null });
  const { items } = await agents.logs(id, '?tail=5000');
  expect(items.map(({ line }) => Number(line))).toEqual(Array.from({ length: 1000 }, (_, n) => n));
});

test('a running agent that is killed is `crashed`; an agent that ends by itself is `completed`', async () => {
  await using agents = await openTestAgents({ programs: { 'light-agent': '' } });
  await agents.open();
  const [echo, other] = [await agents.start(), await agents.start('light-agent')];
  await agents.until(echo.id, 'Running');
  process.kill((await agents.pidOf(echo.id)) ?? 0, 'SIGKILL');
  expect(await agents.until(echo.id, 'Stopped')).toMatchObject({
    reason: 'crashed',
    exitCode: 137,
    detail: 'The agent’s program was ended by SIGKILL.',
  });
  const stopped = await agents.until(other.id, 'Stopped');
  expect(stopped).toMatchObject({ reason: 'completed', exitCode: 0 });
});

test('an agent whose program is not installed is Stopped `bad_configuration`, with the names of role and program', async () => {
  const settings = { findProgram: () => undefined };
  await using agents = await openTestAgents({ settings });
  await agents.open();
  for (const role of ['core-agent', 'conversational-ai']) {
    const { id } = await agents.start(role);
    expect(await agents.until(id, 'Stopped')).toMatchObject({
      role,
      reason: 'bad_configuration',
      detail: expect.stringMatching(
        `The role ${role} needs the program .+, which is not installed.`,
      ),
      startedAt: null,
    });
  }
});

test('an agent that is not in its room in time is `start_timeout`, and killed if it ignores SIGTERM', async () => {
  const program = `process.on('SIGTERM', () => {}); ${runs}`;
  // Long enough for Node to start and take over SIGTERM on a busy machine.
  const limits = { startTimeoutMs: 3000, graceSeconds: 0.05 };
  await using agents = await openTestAgents({ programs: { 'light-agent': program }, limits });
  await agents.open();
  const { id } = await agents.start('light-agent');
  await expect.poll(() => agents.pidOf(id)).toBeDefined();
  const pid = (await agents.pidOf(id)) ?? 0;
  expect(await agents.until(id, 'Stopped')).toMatchObject({
    reason: 'start_timeout',
    detail: 'The agent was not in its room within 3 s.',
    exitCode: 137,
    runningAt: null,
  });
  expect(await identify(pid)).toBeUndefined();
});

test('an agent that has run for the longest time allowed is `max_duration`', async () => {
  const limits = { maxDurationMs: 100 };
  await using agents = await openTestAgents({ programs: { 'light-agent': runs }, limits });
  await agents.open();
  const { id } = await agents.start('light-agent');
  expect(await agents.until(id, 'Stopped')).toMatchObject({ reason: 'max_duration' });
});

test('a start that the system refuses is retried until it succeeds', async () => {
  const files = ['/nowhere', '/nowhere'];
  const settings = {
    findProgram: () => ({ file: files.pop() ?? process.execPath, args: ['-e', 'console.log(1)'] }),
  };
  await using agents = await openTestAgents({ settings });
  await agents.open();
  const { id } = await agents.start();
  expect(await agents.until(id, 'Stopped')).toMatchObject({ reason: 'completed', exitCode: 0 });
});

test('an agent whose start never succeeds is `start_timeout`, with the last failure', async () => {
  const settings = { findProgram: () => ({ file: '/nowhere', args: [] }) };
  await using agents = await openTestAgents({ settings, limits: { startTimeoutMs: 200 } });
  await agents.open();
  const { id } = await agents.start();
  expect(await agents.until(id, 'Stopped')).toMatchObject({
    reason: 'start_timeout',
    detail: expect.stringContaining('ENOENT'),
    startedAt: null,
  });
});

test('agents of a session that is closed are `session_closed`', async () => {
  await using agents = await openTestAgents({
    programs: { 'light-agent': runs, 'core-agent': runs },
  });
  await agents.open();
  const sessionId = await agents.api.createSession(agents.ana);
  const all = [
    await agents.start('light-agent', sessionId),
    await agents.start('core-agent', sessionId),
  ];
  const pids = async () => await Promise.all(all.map(({ id }) => agents.pidOf(id)));
  await expect.poll(pids).not.toContain(undefined);
  await agents.api.inject(agents.ana, { method: 'POST', url: `/sessions/${sessionId}/close` });
  for (const { id } of all) {
    const stopped = await agents.until(id, 'Stopped');
    expect(stopped).toMatchObject({ reason: 'session_closed', exitCode: 143 });
  }
});

test('when the service stops, its agents are `evicted`, with their last lines, and no process is left', async () => {
  const program = `process.on('SIGTERM', () => { console.log('bye'); process.exit(0); }); console.log('up'); ${runs}`;
  await using agents = await openTestAgents({ programs: { 'light-agent': program } });
  const reconciler = await agents.open();
  const { id } = await agents.start('light-agent');
  await expect.poll(() => agents.logs(id)).toMatchObject({ items: [{}] });
  const pid = (await agents.pidOf(id)) ?? 0;
  await reconciler[Symbol.asyncDispose]();
  expect(await agents.find(id)).toMatchObject({
    status: 'Stopped',
    reason: 'evicted',
    exitCode: 0,
  });
  expect((await agents.logs(id)).items.map(({ line }) => line)).toEqual(['up', 'bye']);
  expect(await identify(pid)).toBeUndefined();
});
