import { encodePacket } from '@session/contract/room';
import { openRoomService } from '@session/media';
import { expect } from 'vitest';
import { until } from '../../testing/stage.ts';
import { test } from '../../testing/stage-test.ts';
import {
  letStrangersTalk,
  textsOf,
  untilKnown,
  watchAnnouncements,
} from '../../testing/strangers.ts';
import { openWebhookStage } from '../../testing/webhook-stage.ts';

const NAMES = ['Ada', 'Ben', 'Cem'];

test('all that three ordinary clients say once a recorder has announced them is stored with its sender, in ten rooms', async () => {
  await using opened = await openWebhookStage();
  const { stage } = opened;
  const { rooms, announced } = watchAnnouncements(stage.media);
  const recorders = [await stage.record({ rooms }), await stage.record({ rooms })];
  const [receiver] = recorders;
  if (receiver) await opened.receiveWebhooks(receiver);
  const sessionIds = await Promise.all(Array.from({ length: 10 }, () => stage.recordedSession()));
  const said = await letStrangersTalk(stage, sessionIds, NAMES, async (sessionId, stranger) => {
    await until(() => announced.has(stranger.identity));
    await untilKnown(stage, sessionId, stranger);
  });
  for (const [sessionId, texts] of said) {
    const stored = async () => textsOf(await stage.history(sessionId));
    await until(async () => (await stored()).length >= texts.length);
    expect(await stored()).toEqual(texts);
  }
});

test('without webhooks nothing is stored under a wrong sender, and only first words without one', async ({
  stage,
}) => {
  await stage.record();
  const sessionIds = await Promise.all([1, 2, 3].map(() => stage.recordedSession()));
  const said = await letStrangersTalk(stage, sessionIds, NAMES);
  for (const [sessionId, texts] of said) {
    await stage.historyWith(sessionId, ({ content }) => content === 'Cem in a stream');
    const history = await stage.history(sessionId);
    const nameless = history.filter(
      ({ kind, metadata }) => kind === 'text' && !metadata.participant,
    );
    for (const text of textsOf(history)) {
      expect([...texts, ...nameless.map(({ content }) => `undefined: ${content}`)]).toContain(text);
    }
    // A text stream always names its sender.
    expect(nameless.map(({ content }) => content.slice(4)).toSorted()).not.toContain('in a stream');
  }
});

test('without webhooks, one packet without a sender is enough for all strangers to have their names from then on', async ({
  stage,
}) => {
  const { rooms, announced } = watchAnnouncements(stage.media);
  await stage.record({ rooms });
  const sessionId = await stage.recordedSession();
  const [ada, ben] = await Promise.all([
    stage.joinAsForeigner(sessionId, 'Ada'),
    stage.joinAsForeigner(sessionId, 'Ben'),
  ]);
  const say = async (data: string) =>
    await ada.publishData(encodePacket({ type: 'user_text', data }), { reliable: true });
  await say('first');
  await stage.historyWith(sessionId, ({ content }) => content === 'first');
  for (const stranger of [ada, ben]) {
    await until(() => announced.has(stranger.identity));
    await untilKnown(stage, sessionId, stranger);
  }
  await ben.sendChatMessage('hello');
  await say('second');
  for (const later of ['second', 'hello']) {
    await stage.historyWith(sessionId, ({ content }) => content === later);
  }
  expect(textsOf(await stage.history(sessionId))).toEqual(
    expect.arrayContaining([`${ada.identity}: second`, `${ben.identity}: hello`]),
  );
});

test('what the API sends while a stranger is in the room is not stored as the words of the stranger', async ({
  stage,
}) => {
  await stage.record();
  const sessionId = await stage.recordedSession();
  await stage.joinAsForeigner(sessionId);
  const packet = { type: 'user_text', data: 'said over the API', id: 'm-1' };
  await openRoomService(stage.media).sendPacket(sessionId, packet);
  const history = await stage.historyWith(sessionId, ({ kind }) => kind === 'text');
  expect(history.find(({ kind }) => kind === 'text')).toMatchObject({
    role: 'user',
    metadata: { participant: null, candidates: [] },
  });
});
