import {
  CHAT_TOPIC,
  FINAL_ATTRIBUTE,
  SEGMENT_ATTRIBUTE,
  TRACK_ATTRIBUTE,
  TRANSCRIPTION_TOPIC,
} from '@session/contract/room';
import { openRoomService } from '@session/media';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { type HistoryRow, type TestStage, until } from '../../testing/stage.ts';
import { test } from '../../testing/stage-test.ts';

const OATH = 'I, the user, agree to pay.';
const RATE = 16_000;

function attributes(trackSid?: string, segment: string = uuidv7()): Record<string, string> {
  const track = trackSid === undefined ? {} : { [TRACK_ATTRIBUTE]: trackSid };
  return { [SEGMENT_ATTRIBUTE]: segment, [FINAL_ATTRIBUTE]: 'true', ...track };
}

/** Opens a recorded session with Ana and an agent. */
async function openRoom(stage: TestStage, redundancy = 1) {
  await stage.record({ config: { redundancy } });
  const sessionId = await stage.recordedSession();
  const ana = await stage.join(sessionId);
  const agent = await stage.joinAsAgent(sessionId);
  return { sessionId, ana, agent };
}

function isSaid({ kind }: HistoryRow): boolean {
  return kind === 'transcript' || kind === 'text';
}

/** Returns the history's rows of messages that were said, once there are at least `count`. */
async function said(stage: TestStage, sessionId: string, count: number) {
  const rows = await until(async () => {
    const found = (await stage.history(sessionId)).filter(isSaid);
    return found.length >= count && found;
  });
  return rows.map(({ role, content, metadata }) => ({
    role,
    content,
    participant: metadata.participant?.identity,
    transcribers: metadata.transcribers,
  }));
}

/** Returns the SID of the newest track that a participant publishes. */
async function trackOf(stage: TestStage, sessionId: string, identity: string): Promise<string> {
  const rooms = openRoomService(stage.media);
  return await until(async () => {
    const listed = await rooms.listParticipants(sessionId);
    return listed.find((one) => one.identity === identity)?.trackSids.at(-1) ?? false;
  });
}

test('what an agent writes in a person’s name, as a transcript or a text, is not stored as the person’s', async ({
  stage,
}) => {
  const { sessionId, ana, agent } = await openRoom(stage);
  await agent.sendTextOf(ana.identity, TRANSCRIPTION_TOPIC, OATH, attributes());
  await agent.sendTextOf(ana.identity, CHAT_TOPIC, OATH);
  const forged = {
    role: 'system',
    content: OATH,
    participant: ana.identity,
    transcribers: [agent.identity],
  };
  expect(await said(stage, sessionId, 2)).toEqual([forged, forged]);
  await ana.sendText(TRANSCRIPTION_TOPIC, 'I do not.', attributes());
  await ana.sendText(CHAT_TOPIC, 'No.');
  const own = { role: 'user', participant: ana.identity, transcribers: undefined };
  expect((await said(stage, sessionId, 4)).slice(2)).toEqual([
    { ...own, content: 'I do not.' },
    { ...own, content: 'No.' },
  ]);
});

test('a transcript with a track that is invented, or is another person’s, is not the person’s', async ({
  stage,
}) => {
  const { sessionId, ana, agent } = await openRoom(stage);
  const ben = await stage.join(sessionId, 'Ben');
  await ben.openVoice(RATE);
  const trackOfBen = await trackOf(stage, sessionId, ben.identity);
  for (const trackSid of ['TR_invented', trackOfBen]) {
    await agent.sendTextOf(ana.identity, TRANSCRIPTION_TOPIC, OATH, attributes(trackSid));
  }
  const roles = (await said(stage, sessionId, 2)).map(({ role }) => role);
  expect(roles).toEqual(['system', 'system']);
});

test('the transcript of a person’s track is the person’s and names the agent, also after the person has left', async ({
  stage,
}) => {
  const { sessionId, ana, agent } = await openRoom(stage);
  await ana.openVoice(RATE);
  const trackSid = await trackOf(stage, sessionId, ana.identity);
  await agent.sendTextOf(ana.identity, TRANSCRIPTION_TOPIC, 'Hello.', attributes(trackSid));
  await said(stage, sessionId, 1);
  await ana.leave();
  await stage.historyWith(sessionId, ({ kind }) => kind === 'participant_left');
  await agent.sendTextOf(ana.identity, TRANSCRIPTION_TOPIC, 'Goodbye.', attributes(trackSid));
  const own = { role: 'user', participant: ana.identity, transcribers: [agent.identity] };
  expect(await said(stage, sessionId, 2)).toEqual([
    { ...own, content: 'Hello.' },
    { ...own, content: 'Goodbye.' },
  ]);
});

test('of several agents that may have written it, all are named', async ({ stage }) => {
  const { sessionId, ana, agent } = await openRoom(stage);
  const other = await stage.joinAsAgent(sessionId);
  await stage.historyWith(
    sessionId,
    ({ metadata }) => metadata.participant?.identity === other.identity,
  );
  await agent.sendTextOf(ana.identity, TRANSCRIPTION_TOPIC, OATH, attributes());
  const [forged] = await said(stage, sessionId, 1);
  expect(forged?.transcribers?.toSorted()).toEqual([agent.identity, other.identity].toSorted());
});

test('a recorder that joined after the track was published knows it; two recorders store the words once', async ({
  stage,
}) => {
  const { sessionId, ana, agent } = await openRoom(stage, 2);
  await ana.openVoice(RATE);
  const trackSid = await trackOf(stage, sessionId, ana.identity);
  await stage.record({ config: { redundancy: 2 } });
  await until(async () => (await openIntervals(stage, sessionId)) === 2);
  await agent.sendTextOf(ana.identity, TRANSCRIPTION_TOPIC, 'Hello.', attributes(trackSid));
  await agent.sendTextOf(ana.identity, TRANSCRIPTION_TOPIC, OATH, attributes());
  await agent.sendText(TRANSCRIPTION_TOPIC, 'a mark', attributes());
  const own = { participant: ana.identity, transcribers: [agent.identity] };
  expect(await said(stage, sessionId, 3)).toEqual([
    { ...own, role: 'user', content: 'Hello.' },
    { ...own, role: 'system', content: OATH },
    { role: 'assistant', content: 'a mark', participant: agent.identity, transcribers: undefined },
  ]);
});

async function openIntervals(stage: TestStage, sessionId: string): Promise<number> {
  const rows = await stage.database.sql`
    select id from recording_intervals where session_id = ${sessionId} and to_at is null`;
  return rows.length;
}
