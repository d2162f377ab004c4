import { prepareMessageQueries } from '@session/db';
import { openRoomService, openWebhooks } from '@session/media';
import { freePort, startMediaServer } from '@session/testing';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { FAST, TestStage, until } from '../../testing/test-stage.ts';
import { serveRecorder } from './health.ts';

test('whichever recorder is told of them, short stays and those in an absence are in the history once', async () => {
  const address = { host: '127.0.0.1', port: await freePort('127.0.0.1') };
  const webhookUrls = [`http://127.0.0.1:${address.port}/webhooks/media`];
  await using media = await startMediaServer({ webhookUrls });
  await using stage = await TestStage.open(media);
  const unheard = await stage.createSession({ isTold: false });
  await stage.restSlot(unheard, 3600);
  const messages = prepareMessageQueries(stage.database);
  const written: string[] = [];
  const record = async () =>
    await stage.record({
      queries: {
        appendMessages: async (batch) => {
          written.push(...batch.map(({ content }) => content));
          return await messages.appendMessages(batch);
        },
      },
    });
  // The one that records the session is not the one that is told.
  await record();
  const heard = await stage.recordedSession();
  const recorder = await record();
  await using _ = await serveRecorder(address, {
    log: { warn: () => {} },
    health: () => recorder.health(),
    metrics: new Registry(),
    readWebhook: openWebhooks(media),
    tell: (presence) => recorder.tell(presence),
  });

  // Of one who announces nothing, and is gone within three seconds, nobody but the server knows.
  const short = await stage.joinAsForeigner(heard, 'Short');
  await openRoomService(media).removeParticipant(heard, short.identity);
  const ana = await stage.join(heard);
  await ana.leave();

  const gone = await stage.join(unheard, 'Gone');
  await gone.leave();
  const stays = await stage.join(unheard, 'Stays');
  await stage.historyWith(unheard, ({ content }) => content === 'Gone left');
  await stage.restSlot(unheard);
  await stage.untilRecording(unheard);
  await stays.say('still here');
  await stage.historyWith(unheard, ({ content }) => content === 'still here');

  await stage.historyWith(heard, ({ content }) => content === 'Short left');
  const twice = ['Ana joined', 'Ana left', 'Stays joined'];
  await until(() => twice.every((one) => written.filter((each) => each === one).length === 2));
  const stored = async (sessionId: string) =>
    (await stage.history(sessionId)).flatMap(({ kind, content }) =>
      kind === 'recording_gap' ? [] : content,
    );
  expect((await stored(heard)).toSorted()).toEqual([
    'Ana joined',
    'Ana left',
    'Short joined',
    'Short left',
  ]);
  expect((await stored(unheard)).toSorted()).toEqual([
    'Gone joined',
    'Gone left',
    'Stays joined',
    'still here',
  ]);
});

test('what a recorder is told just before it stops is stored', async () => {
  await using stage = await TestStage.open();
  const recorder = await stage.record({ timing: { ...FAST, toldLeaveMs: 600_000 } });
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
  await recorder.tell({ room, event });
  await recorder.stop(AbortSignal.abort());
  expect((await stage.history(room)).map(({ content }) => content)).toContain('Ana left');
});
