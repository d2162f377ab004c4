import { appendMessages } from '@session/db';
import { Readiness } from '@session/kit';
import { openRoomService, openWebhooks } from '@session/media';
import { freePort, startMediaServer } from '@session/testing';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { logTo } from '../../testing/log-to.ts';
import { FAST, TestStage, until } from '../../testing/stage.ts';
import { serveRecorder } from './health.ts';

test('short stays and stays without a recorder are in the history once, whichever recorder gets the webhooks', async () => {
  const address = { host: '127.0.0.1', port: await freePort('127.0.0.1') };
  const webhookUrls = [`http://127.0.0.1:${address.port}/webhooks/media`];
  await using media = await startMediaServer({ webhookUrls });
  await using stage = await TestStage.open(media);
  const unrecorded = await stage.createSession({ isNotified: false });
  await stage.restSlot(unrecorded, 3600);
  const written: string[] = [];
  const record = async () =>
    await stage.record({
      queries: {
        appendMessages: async (batch) => {
          written.push(...batch.map(({ content }) => content));
          return await appendMessages(stage.database, batch);
        },
      },
    });
  // The recorder that records the session is not the recorder that gets the webhooks.
  await record();
  const recorded = await stage.recordedSession();
  const recorder = await record();
  await using _ = await serveRecorder(address, {
    log: logTo(),
    health: () => recorder.health(),
    metrics: new Registry(),
    readiness: new Readiness(),
    countWebhook: () => {},
    readWebhook: openWebhooks([media]),
    receiveWebhook: (presence) => recorder.receiveWebhook(presence),
  });

  const timesWritten = (text: string) => written.filter((content) => content === text).length;
  // The media server sends no webhook about a stay that ends before its transport is connected.
  const untilJoined = (name: string) => until(() => timesWritten(`${name} joined`) > 0);
  // If a participant is announced late and leaves within three seconds, only the server notices the stay.
  const short = await stage.joinAsForeigner(recorded, 'Short');
  await untilJoined('Short');
  await openRoomService(media).removeParticipant(recorded, short.identity);
  const ana = await stage.join(recorded);
  await until(() => timesWritten('Ana joined') === 2);
  await ana.leave();

  const gone = await stage.join(unrecorded, 'Gone');
  await untilJoined('Gone');
  await gone.leave();
  const stays = await stage.join(unrecorded, 'Stays');
  await stage.historyWith(unrecorded, ({ content }) => content === 'Gone left');
  await stage.restSlot(unrecorded);
  await stage.untilRecording(unrecorded);
  await stays.say('still here');
  await stage.historyWith(unrecorded, ({ content }) => content === 'still here');

  await stage.historyWith(recorded, ({ content }) => content === 'Short left');
  const twice = ['Ana joined', 'Ana left', 'Stays joined'];
  await expect.poll(() => twice.map(timesWritten), { timeout: 15_000 }).toEqual([2, 2, 2]);
  const stored = async (sessionId: string) =>
    (await stage.history(sessionId)).flatMap(({ kind, content }) =>
      kind === 'recording_gap' ? [] : content,
    );
  expect((await stored(recorded)).toSorted()).toEqual([
    'Ana joined',
    'Ana left',
    'Short joined',
    'Short left',
  ]);
  expect((await stored(unrecorded)).toSorted()).toEqual([
    'Gone joined',
    'Gone left',
    'Stays joined',
    'still here',
  ]);
});

test('a webhook that comes just before the recorder stops is stored', async () => {
  await using stage = await TestStage.open();
  const recorder = await stage.record({ timing: { ...FAST, webhookLeaveMs: 600_000 } });
  const room = await stage.recordedSession();
  const participant = { identity: 'user-1', name: 'Ana', sid: 'PA_1', kind: 'standard' };
  const receivedAt = Date.now();
  const reason = 'CLIENT_INITIATED';
  const event = {
    type: 'participant_left',
    participant,
    joinedAt: null,
    reason,
    receivedAt,
  } as const;
  await recorder.receiveWebhook({ room, instance: { sid: 'RM_1', createdAt: 1 }, event });
  await recorder.stop(AbortSignal.abort());
  expect((await stage.history(room)).map(({ content }) => content)).toContain('Ana left');
});
