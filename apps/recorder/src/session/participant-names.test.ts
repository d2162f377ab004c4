import {
  agentIdentity,
  decode,
  messageIdOf,
  type Participant,
  type PresenceEvent,
} from '@session/contract/room';
import { insertUser, type WantedNames } from '@session/db';
import { passTime, startVirtualTime } from '@session/testing/virtual-time';
import { v7 as uuidv7 } from 'uuid';
import { expect, test, vi } from 'vitest';
import { TestStage } from '../../testing/stage.ts';
import { ParticipantNames } from './participant-names.ts';

const SESSION = uuidv7();
const USER = uuidv7();

function participant(
  name: string,
  identity = 'foreign',
  sid = 'PA_1',
): Participant & { sid: string } {
  return { identity, name, sid, kind: 'standard' };
}

/** Returns names from a database in memory, and lists what was asked for. */
function openNames(stored: Readonly<Record<string, string>> = {}, externalId?: string) {
  const asked: WantedNames[] = [];
  const more = externalId === undefined ? {} : { externalId };
  const names = new ParticipantNames({
    async listParticipantNames(wanted) {
      asked.push(wanted);
      return new Map(Object.entries(stored).map(([id, name]) => [id, { name, ...more }]));
    },
  });
  const nameOf = async (who: Participant & { sid: string }) => {
    await names.load(SESSION, who);
    const event = { type: 'participant_joined', participant: who, joinedAt: 1 } as const;
    const joined: PresenceEvent = { ...event, reason: null, receivedAt: 1 };
    return names.named(joined);
  };
  return { names, asked, nameOf };
}

test('a token of the API has the name of its user or its role, whatever the participant calls itself', async () => {
  const { nameOf, asked } = openNames({ [USER]: 'Ana' });
  const user = `user-${USER}-0f1e2d`;
  const agent = agentIdentity({ role: 'echo-agent', agentId: uuidv7() });
  const named = { participant: { name: 'Ana', identity: user } };
  expect(await nameOf(participant('The Bank', user, 'PA_1'))).toMatchObject(named);
  expect(await nameOf(participant('The Bank', user, 'PA_2'))).toMatchObject(named);
  const role = { participant: { name: 'echo-agent' } };
  expect(await nameOf(participant('The Bank', agent, 'PA_3'))).toMatchObject(role);
  expect(asked).toEqual([{ userIds: [USER], joins: [] }]);
});

test('an end user has the id that the customer gave, whatever the participant says', async () => {
  const { names, nameOf } = openNames({ [USER]: 'Ada' }, 'customer-7');
  const user = { ...participant('The Bank', `user-${USER}-0f1e2d`), externalId: 'customer-8' };
  const decoded = decode(await nameOf(user), { sessionId: SESSION, newId: uuidv7 });
  if (decoded.outcome !== 'store') throw new Error('a join is stored');
  expect(names.identified(decoded.message).metadata.participant).toMatchObject({
    name: 'Ada',
    externalId: 'customer-7',
  });
  const echo = participant(
    'Echo',
    agentIdentity({ role: 'echo-agent', agentId: uuidv7() }),
    'PA_2',
  );
  const other = decode(await nameOf(echo), { sessionId: SESSION, newId: uuidv7 });
  if (other.outcome !== 'store') throw new Error('a join is stored');
  expect(names.identified(other.message)).toBe(other.message);
});

test('an account that gets another name keeps its former one until its stay is over', async () => {
  startVirtualTime();
  // The cache treats the time 0 as no time.
  await vi.advanceTimersByTimeAsync(1);
  const stored = { [USER]: 'Ana' };
  const { nameOf, asked } = openNames(stored);
  const user = `user-${USER}-0f1e2d`;
  expect(await nameOf(participant('', user, 'PA_1'))).toMatchObject({
    participant: { name: 'Ana' },
  });
  stored[USER] = 'Bea';
  await vi.advanceTimersByTimeAsync(61_000);
  expect(await nameOf(participant('', user, 'PA_1'))).toMatchObject({
    participant: { name: 'Ana' },
  });
  expect(await nameOf(participant('', user, 'PA_2'))).toMatchObject({
    participant: { name: 'Bea' },
  });
  expect(asked).toHaveLength(2);
});

test('any other participant keeps the name with which its stay began', async () => {
  const { nameOf } = openNames();
  for (const name of ['Ben', 'Ana', '']) {
    expect(await nameOf(participant(name))).toMatchObject({ participant: { name: 'Ben' } });
  }
  const again = await nameOf(participant('Ana', 'foreign', 'PA_2'));
  expect(again).toMatchObject({ participant: { name: 'Ana' } });
});

test('a stay that began before this process has the name that is stored with its join', async () => {
  const joinId = messageIdOf(SESSION, 'participant_joined', 'PA_1');
  const { nameOf, asked } = openNames({ [joinId]: 'Ben' });
  expect(await nameOf(participant('Ana'))).toMatchObject({ participant: { name: 'Ben' } });
  expect(asked[0]?.joins).toMatchObject([{ sessionId: SESSION, messageId: joinId }]);
});

test('names that are wanted at the same time are asked for together', async () => {
  const { names, asked } = openNames();
  const sids = ['PA_1', 'PA_2', 'PA_1'];
  const load = async (sid: string) => await names.load(SESSION, participant('Ben', 'foreign', sid));
  await Promise.all(sids.map(load));
  expect(asked.map(({ joins }) => joins.length)).toEqual([2]);
});

test('a database that is silent delays a message for 250 ms, and is asked again a second later', async () => {
  startVirtualTime();
  const names = new ParticipantNames({ listParticipantNames: () => new Promise(() => {}) });
  let isOver = false;
  const load = async () => {
    await names.load(SESSION, participant('Ben'));
    isOver = true;
  };
  void load();
  await passTime(249);
  expect(isOver).toBe(false);
  await passTime(1);
  expect(isOver).toBe(true);
  const loadAgain = () => names.load(SESSION, participant('Ben', 'foreign', 'PA_2'));
  await passTime(999);
  expect(loadAgain()).toBeUndefined();
  await passTime(1);
  expect(loadAgain()).toBeInstanceOf(Promise);
});

test('no participant speaks under another name after a rename, in a real room', async () => {
  await using stage = await TestStage.open();
  await stage.record();
  const room = await stage.recordedSession();
  const userId = uuidv7();
  await insertUser(stage.database, {
    id: userId,
    email: 'ben@example.org',
    name: 'Ben',
    passwordHash: '-',
  });
  const user = await stage.joinAsForeigner(room, 'Ben', userId);
  await user.updateName('The Bank');
  await user.sendText('as a user', { topic: 'lk.chat' });
  const foreigner = await stage.joinAsForeigner(room, 'Foreigner');
  await foreigner.sendText('before', { topic: 'lk.chat' });
  await stage.historyWith(room, ({ content }) => content === 'before');
  await foreigner.updateName('The Bank');
  await foreigner.sendText('after', { topic: 'lk.chat' });
  await stage.historyWith(room, ({ content }) => content === 'as a user');
  const history = await stage.historyWith(room, ({ content }) => content === 'after');
  const names = history.map(({ metadata }) => metadata.participant?.name);
  expect(new Set(names)).toEqual(new Set(['Ben', 'Foreigner']));
});
