import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  FINAL_ATTRIBUTE,
  INTERRUPTED_ATTRIBUTE,
  SEGMENT_ATTRIBUTE,
  TRACK_ATTRIBUTE,
  TRANSCRIPTION_TOPIC,
} from '@session/contract/room';
import { agentToken, joinRoom } from '@session/media';
import type { TestMedia } from '@session/testing';
import { expect } from 'vitest';
import {
  type BrowserTalker,
  openMicrophone,
  saidIn,
  talkTest as test,
} from '../../testing/talks.ts';

/** Joins a room as an agent. */
async function joinAsAgent(media: TestMedia, room: string) {
  const agent = { room, role: 'tester', agentId: randomUUID() };
  const { token } = await agentToken(media, agent);
  return await joinRoom({ url: media.url, token });
}

const shownIn = async ({ page }: BrowserTalker) =>
  await page.evaluate(() => window.talk.shown.at(-1));

const marksIn = async ({ page }: BrowserTalker) =>
  await page.evaluate(() => window.talk.said().map(({ metadata }) => metadata?.['interrupted']));

test('an answer grows while it is spoken, ends interrupted, and is the same after a reload', async ({
  world: { api, media },
  session,
}) => {
  await using recorder = await api.startRecorder();
  await session.untilRecorded();
  const ada = await session.join('Ada');
  await using agent = await joinAsAgent(media, session.sessionId);
  const text = await agent.openText(TRANSCRIPTION_TOPIC);
  for (const part of ['Let ', 'me ', 'exp']) await text.write(part);
  await expect.poll(() => shownIn(ada)).toEqual(['Let me exp: speaking']);
  await text.end({ [INTERRUPTED_ATTRIBUTE]: 'true' });
  await expect.poll(() => shownIn(ada)).toEqual(['Let me exp: complete']);
  expect(await marksIn(ada)).toEqual([true]);
  const later = await session.join('Ben');
  expect(await saidIn(later)).toEqual(await saidIn(ada));
  expect(await marksIn(later)).toEqual([true]);
  expect(recorder).toBeDefined();
});

test('an answer that is stored as pending while it grows completes where it stands', async ({
  world: { api, media },
  session,
}) => {
  await using _ = await api.startRecorder();
  await session.untilRecorded();
  const ada = await session.join('Ada');
  await using agent = await joinAsAgent(media, session.sessionId);
  const long = await agent.openText(TRANSCRIPTION_TOPIC);
  await long.write('This takes ');
  // A recorder stores an open text every 10 s.
  await ada.page.waitForFunction(() =>
    window.talk.said().some(({ timestamp, state }) => timestamp !== null && state === 'speaking'),
  );
  await ada.page.evaluate(() => window.talk.conversation.say('and I go on'));
  await expect.poll(() => shownIn(ada)).toEqual(['This takes : speaking', 'and I go on: complete']);
  await long.write('long.');
  await long.end();
  const complete = ['This takes long.: complete', 'and I go on: complete'];
  await expect.poll(() => shownIn(ada)).toEqual(complete);
  expect(await saidIn(ada)).toEqual(await session.history());
});

test('without a recorder too: an answer is marked as interrupted at once, and one whose agent leaves is no longer spoken', async ({
  world: { media },
  session,
}) => {
  const ada = await session.join('Ada');
  const { page } = ada;
  const agent = await joinAsAgent(media, session.sessionId);
  await agent.setAttributes({ 'lk.agent.state': 'pondering' });
  const stateIn = async () =>
    await page.evaluate(() =>
      window.talk.room.getSnapshot().participants.map(({ agentState }) => agentState),
    );
  await expect.poll(stateIn).toEqual([null, 'pondering']);
  const first = await agent.openText(TRANSCRIPTION_TOPIC);
  await first.write('Let me exp');
  await first.end({ [INTERRUPTED_ATTRIBUTE]: 'true' });
  await expect.poll(() => shownIn(ada)).toEqual(['Let me exp: unconfirmed']);
  const second = await agent.openText(TRANSCRIPTION_TOPIC);
  await second.write('So the');
  const shown = ['Let me exp: unconfirmed', 'So the: speaking'];
  await expect.poll(() => shownIn(ada)).toEqual(shown);
  await agent.leave();
  await expect.poll(() => shownIn(ada)).toEqual([shown[0], 'So the: unconfirmed']);
  const marks = await page.evaluate(() =>
    window.talk.said().map(({ metadata }) => [metadata?.['interrupted'], metadata?.['truncated']]),
  );
  expect(marks).toEqual([
    [true, undefined],
    [undefined, true],
  ]);
  expect(await stateIn()).toEqual([null]);
});

test('without a recorder too: what an agent transcribed in parts is no longer being said when the agent leaves', async ({
  world: { media },
  session,
}) => {
  const ada = await session.join('Ada');
  const agent = await joinAsAgent(media, session.sessionId);
  const other = await joinAsAgent(media, session.sessionId);
  const identity = await ada.page.evaluate(
    () => window.talk.room.getSnapshot().participants.find(({ isLocal }) => isLocal)?.identity,
  );
  const hear = async (transcriber: typeof agent, text: string) => {
    const attributes = { [SEGMENT_ATTRIBUTE]: 'SG_1', [FINAL_ATTRIBUTE]: 'false' };
    await transcriber.sendTextOf(identity ?? '', TRANSCRIPTION_TOPIC, text, attributes);
  };
  await hear(agent, 'Good mor');
  await expect.poll(() => shownIn(ada)).toEqual(['Good mor: speaking']);
  await agent.leave();
  await expect.poll(() => shownIn(ada)).toEqual(['Good mor: unconfirmed']);
  // Another agent takes over.
  await hear(other, 'Good morning');
  await expect.poll(() => shownIn(ada)).toEqual(['Good morning: speaking']);
  await other.leave();
  await expect.poll(() => shownIn(ada)).toEqual(['Good morning: unconfirmed']);
});

test('an answer that arrives in many parts changes the list at most once a frame', async ({
  world: { media },
  session,
}) => {
  const ada = await session.join('Ada');
  await ada.page.evaluate(() => {
    const { talk } = window;
    let frame = 0;
    const nextFrame = () => {
      frame += 1;
      requestAnimationFrame(nextFrame);
    };
    nextFrame();
    let shown = '';
    talk.conversation.timeline.subscribe(() => {
      const [item] = talk.said();
      if (item?.state === 'speaking' && item.content !== shown) talk.frames.push(frame);
      shown = item?.content ?? '';
    });
  });
  await using agent = await joinAsAgent(media, session.sessionId);
  const text = await agent.openText(TRANSCRIPTION_TOPIC);
  const framesIn = async () => await ada.page.evaluate(() => window.talk.frames);
  await text.write('0 ');
  await expect.poll(framesIn).toHaveLength(1);
  const parts = Array.from({ length: 299 }, (_, number) => `${number + 1} `);
  for (const part of parts) await text.write(part);
  await text.end();
  await expect.poll(() => shownIn(ada)).toEqual([`0 ${parts.join('')}: unconfirmed`]);
  const frames = await framesIn();
  expect(frames).toEqual([...new Set(frames)]);
});

test('a foreign agent repeats a segment until it is final: one message, as the history has it', async ({
  world: { api, media },
  session,
}) => {
  await using _ = await api.startRecorder();
  await session.untilRecorded();
  const ada = await session.join('Ada');
  const { page } = ada;
  await using agent = await joinAsAgent(media, session.sessionId);
  const [self] = await page.evaluate(() =>
    window.talk.room.getSnapshot().participants.filter(({ isLocal }) => isLocal),
  );
  const trackSid = await openMicrophone(ada, media, session.sessionId);
  const segment = { [SEGMENT_ATTRIBUTE]: 'SG_foreign', [TRACK_ATTRIBUTE]: trackSid };
  // As LiveKit's Python agents transcribe a person: in the person's name, each time the whole text.
  for (const [text, isFinal] of [
    ['good', 'false'],
    ['good mor', 'false'],
    ['Good morning.', 'true'],
  ] as const) {
    const attributes = { ...segment, [FINAL_ATTRIBUTE]: isFinal };
    await agent.sendTextOf(self?.identity ?? '', TRANSCRIPTION_TOPIC, text, attributes);
  }
  // And as they speak: one stream, which is marked as final at its end.
  const answer = await agent.openText(TRANSCRIPTION_TOPIC, {
    [SEGMENT_ATTRIBUTE]: 'SG_answer',
    [FINAL_ATTRIBUTE]: 'false',
  });
  await answer.write('Good morning, Ada.');
  await answer.end({ [FINAL_ATTRIBUTE]: 'true' });
  await expect
    .poll(() => shownIn(ada))
    .toEqual(['Good morning.: complete', 'Good morning, Ada.: complete']);
  expect(await saidIn(ada)).toEqual(await session.history());
  const roles = await page.evaluate(() => window.talk.said().map(({ role }) => role));
  expect(roles).toEqual(['user', 'assistant']);
});

test('a gap that becomes known later stands where the history has it', async ({
  world: { api, client },
  session,
}) => {
  const recorder = await api.startRecorder();
  await session.untilRecorded();
  const ada = await session.join('Ada');
  const { page } = ada;
  await page.evaluate(() => window.talk.conversation.say('recorded'));
  await expect.poll(() => shownIn(ada)).toEqual(['recorded: complete']);
  await recorder.kill();
  await page.evaluate(() => window.talk.conversation.say('said while no recorder was there'));
  await expect
    .poll(() => shownIn(ada))
    .toEqual(['recorded: complete', 'said while no recorder was there: complete']);
  await recorder.start();
  await page.waitForFunction(() => window.talk.items.some(({ kind }) => kind === 'recording_gap'));
  // Both are read each time: the history may still grow.
  const lists = async () => {
    const rows = await client.messages.list(session.sessionId).toArray({ limit: 100 });
    const stored = rows.toReversed().map(({ id }) => id);
    return { stored, shown: await page.evaluate(() => window.talk.items.map(({ id }) => id)) };
  };
  await expect
    .poll(lists)
    .toSatisfy(({ stored, shown }: Awaited<ReturnType<typeof lists>>) =>
      isDeepStrictEqual(shown, stored),
    );
});
