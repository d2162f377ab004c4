import { randomUUID } from 'node:crypto';
import { encodePacket, isAgent, type RoomEvent } from '@session/contract/room';
import {
  calls,
  holds,
  type ScriptedModel,
  says,
  startScriptedModel,
} from '@session/conversation/testing';
import { type JoinedRoom, joinRoom, operatorToken } from '@session/media';
import { openRoomService } from '@session/media/server';
import { testMedia } from '@session/testing';
import { expect, onTestFinished, test } from 'vitest';
import { handoversSeenBy, isHandover, statesSeenBy } from '../../testing/agent-program.ts';
import { startConversing, withoutFirstText } from '../../testing/conversing.ts';
import { HandTime } from '../../testing/hand-time.ts';

const persons = { say: 'I call a colleague.', waitSeconds: 60 };
const definition = { version: 1, tools: [], handover: { persons } };
const variables = { AGENT_DEFINITION: JSON.stringify(definition) };
const handOver = calls(['hand_over', { reason: 'wants a refund' }]);

test('an agent that asks for a person falls silent, and goes on without a greeting when the person has left', async () => {
  await using model = await startScriptedModel(handOver, says('Good day again.'));
  const time = new HandTime();
  const { room, ann, agentRoom } = await startConversing({
    model,
    variables: { ...variables, GREETING: 'Welcome!' },
    time,
  });
  await ann.untilAnswered(1);
  await ann.room.say('My money, please');
  await expect.poll(() => handoversSeenBy(ann)).toEqual(['requested']);
  await ann.room.say('Is somebody there?');
  const eva = await joinAsOperator(room);
  await expect.poll(() => handoversSeenBy(ann)).toEqual(['requested', 'taken']);
  await eva.say('I am Eva, and pay you back');
  await expect.poll(() => JSON.stringify(ann.packets())).toContain('I am Eva');
  await ann.room.say('Thank you, Eva');
  await leaves(eva, agentRoom);
  await expect
    .poll(() => passing(time, () => handoversSeenBy(ann)))
    .toEqual(['requested', 'taken', 'done']);
  await ann.room.say('And now?');
  await ann.untilAnswered(3);
  expect(ann.answers()).toEqual(['Welcome!', 'I call a colleague.', 'Good day again.']);
  expect(ann.packets().find(isHandover)).toMatchObject({
    reason: 'wants a refund',
    message: 'The agent asks for a person.',
  });
  const [last = ''] = promptOf(model).slice(-1);
  expect(last.split('\n\n')).toEqual([
    'Ann: Is somebody there?',
    expect.stringContaining('talks with the user in your place'),
    'Eva: I am Eva, and pay you back',
    'Ann: Thank you, Eva',
    expect.stringContaining('greet nobody again'),
    'Ann: And now?',
  ]);
});

test('an agent to which nobody comes says so after its time, and answers what was said meanwhile', async () => {
  await using model = await startScriptedModel(handOver, says('Nobody is free. How can I help?'));
  const time = new HandTime();
  const { agent, ann } = await startConversing({ model, variables, time });
  await ann.room.say('My money, please');
  await expect.poll(() => handoversSeenBy(ann)).toEqual(['requested']);
  agent.receive(said('Hello?'));
  time.advance(59_999);
  agent.receive(said('Anybody?'));
  expect(model.requests).toHaveLength(1);
  time.advance(1);
  await ann.untilAnswered(2);
  expect(new Set(handoversSeenBy(ann))).toEqual(new Set(['requested', 'expired']));
  const [last = ''] = promptOf(model).slice(-1);
  expect(last.split('\n\n')).toEqual([
    '(no name): Hello?',
    '(no name): Anybody?',
    expect.stringContaining('Nobody is free to take over now'),
  ]);
});

test('an agent whose handover the service refuses learns why, and answers at once; nobody else can refuse it', async () => {
  const toSales = calls(['hand_over', { to: 'Sales', reason: 'a price' }]);
  await using model = await startScriptedModel(toSales, says('Sales goes on.'), says('Not now.'));
  const agents = [{ agentTemplateId: 'a', name: 'Sales' }];
  const AGENT_DEFINITION = JSON.stringify({ ...definition, handover: { agents } });
  const time = new HandTime();
  const { room, ann } = await startConversing({ model, variables: { AGENT_DEFINITION }, time });
  await ann.room.say('What does it cost?');
  await expect.poll(() => handoversSeenBy(ann)).toEqual(['requested']);
  const handover = Object(ann.packets().find(isHandover)).id;
  const refusal = { type: 'handover_refused', handover, code: 'missing_variable' };
  await ann.room.sendPacket({ ...refusal, detail: 'Forged.' });
  const agent = ann.room.participants.find(isAgent)?.identity ?? '';
  const detail = 'It needs a value for hotel.';
  await openRoomService(testMedia()).sendPacketTo(room, agent, { ...refusal, detail });
  await ann.untilAnswered(2);
  expect(ann.answers()).toEqual(['Sales goes on.', 'Not now.']);
  expect(ann.packets().filter(isHandover)).toMatchObject([
    { state: 'requested' },
    { state: 'expired', message: expect.stringContaining('cannot come (missing_variable)') },
  ]);
  const prompt = promptOf(model).join();
  expect([prompt.includes(detail), prompt.includes('Forged')]).toEqual([true, false]);
  expect(model.requests.at(-1)?.body).not.toHaveProperty('tools');
});

test('an agent that was killed while it waited for another one answers after its restart, and asks for nobody', async () => {
  await using model = await startScriptedModel(says('Sales is on its way.'), says('Yes.'));
  const agents = [{ agentTemplateId: 'a', name: 'Sales' }];
  const lines = [
    { role: 'user', content: 'What does it cost?' },
    { role: 'assistant', content: 'Sales goes on.' },
    { role: 'user', content: 'Is anybody there?' },
  ].map((line) => ({ ...line, id: randomUUID(), at: new Date().toISOString(), identity: null }));
  const history = lines.map((line) => ({ ...line, interrupted: false }));
  const { ann } = await startConversing({
    model,
    variables: {
      AGENT_DEFINITION: JSON.stringify({ ...definition, handover: { agents } }),
      CONVERSATION: JSON.stringify({ history, state: { plans: [] }, truncated: false }),
    },
  });
  await ann.untilAnswered(1);
  await ann.room.say('And you?');
  await ann.untilAnswered(2);
  expect(ann.answers()).toEqual(['Sales is on its way.', 'Yes.']);
  expect(handoversSeenBy(ann)).toEqual([]);
});

test('a text over the words with which an agent asks for a person does not take that back', async () => {
  const words = holds('I call');
  await using model = await startScriptedModel(handOver, words.reply);
  const own = { ...definition, handover: { persons: {} } };
  const { ann } = await startConversing({
    model,
    variables: { AGENT_DEFINITION: JSON.stringify(own) },
  });
  await ann.room.say('My money, please');
  await expect.poll(() => model.requests.length).toBe(2);
  words.words();
  await expect.poll(() => statesSeenBy(ann)).toEqual(['speaking']);
  await ann.room.say('Thank you');
  await expect.poll(() => handoversSeenBy(ann)).toEqual(['requested']);
});

test('an agent whose words about a person reach nobody says so again, and asks for one', async () => {
  await using model = await startScriptedModel(handOver, says('I call somebody.'));
  const { ann } = await startConversing({ model, variables, wrap: withoutFirstText });
  await ann.room.say('My money, please');
  await expect.poll(() => handoversSeenBy(ann)).toEqual(['requested']);
  await expect.poll(ann.answers).toEqual(['I call somebody.']);
});

test.for(['110', '150'])(
  'an agent with %s tokens whose words about a person are lost says farewell only if nobody comes',
  async (tokens) => {
    const [first, last] = ['I call somebody.', 'Nobody is free.'];
    await using model = await startScriptedModel(handOver, says(first), says(last));
    const [time, wrap] = [new HandTime(), withoutFirstText];
    const limited = { ...variables, LLM_BUDGET_TOKENS: tokens };
    const { agent, ann } = await startConversing({ model, variables: limited, wrap, time });
    await ann.room.say('My money, please');
    await expect.poll(() => handoversSeenBy(ann)).toEqual(['requested']);
    await expect.poll(ann.answers).toEqual([first]);
    time.advance(60_000);
    await agent.done;
    await expect.poll(ann.answers).toEqual([first, last, 'Our time is over. Goodbye.']);
    expect(JSON.stringify(promptOf(model))).toContain('Nobody is free to take over now');
  },
);

test('nothing is answered while an operator is in the room, whom nobody asked for', async () => {
  const answer = holds('Let me');
  await using model = await startScriptedModel(answer.reply, says('Yes.'));
  const time = new HandTime();
  const { room, ann, agentRoom } = await startConversing({ model, time });
  await ann.room.say('Hello');
  answer.words();
  await expect.poll(() => statesSeenBy(ann)).toEqual(['speaking']);
  const eva = await joinAsOperator(room);
  await expect.poll(() => ann.streams()[0]?.attributes).toHaveProperty('session.interrupted');
  await ann.room.say('And now?');
  await eva.say('I am here');
  await leaves(eva, agentRoom);
  await ann.room.say('Are you there?');
  await expect.poll(() => passing(time, ann.answers)).toHaveLength(2);
  expect(ann.answers()).toEqual(['Let me', 'Yes.']);
  expect(model.requests).toHaveLength(2);
  expect(handoversSeenBy(ann)).toEqual([]);
});

test('an agent that comes while an operator is in the room does not greet, neither then nor later', async () => {
  await using model = await startScriptedModel(says('Good day.'));
  const operators: JoinedRoom[] = [];
  const time = new HandTime();
  const { ann, agentRoom } = await startConversing({
    model,
    time,
    variables: { GREETING: 'Welcome!' },
    beforeJoin: async (room) => operators.push(await joinAsOperator(room)),
  });
  await expect.poll(() => statesSeenBy(ann)).toEqual(['listening']);
  for (const operator of operators) await leaves(operator, agentRoom);
  await ann.room.say('Hello');
  await expect.poll(() => passing(time, ann.answers)).toEqual(['Good day.']);
});

test('an agent with an operator in the room calls for nobody', async () => {
  const words = holds('I call');
  await using model = await startScriptedModel(handOver, words.reply);
  const own = { ...definition, handover: { persons: {} } };
  const AGENT_DEFINITION = JSON.stringify(own);
  const { room, ann, untilTurns } = await startConversing({
    model,
    variables: { AGENT_DEFINITION },
  });
  await ann.room.say('My money, please');
  await expect.poll(() => model.requests.length).toBe(2);
  words.words();
  await expect.poll(() => statesSeenBy(ann)).toEqual(['speaking']);
  await joinAsOperator(room);
  await untilTurns(1);
  await expect.poll(() => statesSeenBy(ann)).toEqual(['listening']);
  expect(handoversSeenBy(ann)).toEqual([]);
});

test('nobody becomes an operator by an attribute or a name', async () => {
  await using model = await startScriptedModel(says('Hello, Ann.'));
  const { ann } = await startConversing({ model });
  await ann.room.setAttributes({ 'session.mode': 'operator', operator: 'true' });
  await ann.room.say('Hello');
  await expect.poll(ann.answers).toEqual(['Hello, Ann.']);
});

/** Makes the operator leave, and waits until the agent has noticed. Words before that are for the operator. */
async function leaves(operator: JoinedRoom, agentRoom: JoinedRoom): Promise<void> {
  const { identity } = operator;
  await operator.leave();
  const present = () => agentRoom.participants.map((one) => one.identity);
  await expect.poll(present).not.toContain(identity);
}

/** Advances the time until an absent operator counts as gone. */
function passing<T>(time: HandTime, read: () => T): T {
  time.advance(5000);
  return read();
}

async function joinAsOperator(room: string): Promise<JoinedRoom> {
  const server = testMedia();
  const { token } = await operatorToken(server, { room, userId: randomUUID(), name: 'Eva' });
  const joined = await joinRoom({ url: server.url, token });
  onTestFinished(() => joined.leave());
  return joined;
}

/** Returns the contents of the messages in the newest request. */
function promptOf({ requests }: ScriptedModel): string[] {
  const messages: unknown = requests.at(-1)?.body['messages'];
  return Array.isArray(messages) ? messages.map((message) => Object(message).content) : [];
}

function said(data: string): RoomEvent {
  const payload = encodePacket({ type: 'user_text', data, id: randomUUID() });
  return { type: 'packet', payload, sender: null, receivedAt: Date.now() };
}
