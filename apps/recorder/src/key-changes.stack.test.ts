import { once } from 'node:events';
import { joinRoom, userToken } from '@session/media';
import { freePort, startMediaServer } from '@session/testing';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import {
  type RecorderProcess,
  startRecorderProcess,
  tempFolder,
} from '../testing/recorder-process.ts';
import { TestStage, until } from '../testing/stage.ts';
import { hasStored, storedTalk, talk } from '../testing/talk.ts';

const host = '127.0.0.1';

/** Returns how many webhooks the recorder has answered with `result`. */
async function webhooks({ healthUrl }: RecorderProcess, result: string): Promise<number> {
  const text = await (await fetch(new URL('/metrics', healthUrl))).text();
  const sample = new RegExp(
    `^session_recorder_webhooks_total\\{result="${result}"\\} (\\d+)$`,
    'm',
  );
  return Number(sample.exec(text)?.[1]);
}

test('the key of LiveKit is changed during a talk, in the steps of the guide: nobody is disconnected before LiveKit’s own restart, and no webhook is refused', async () => {
  await using temp = await tempFolder();
  const present = { apiKey: 'present', apiSecret: 'present media, a secret of 32 bytes or more' };
  const ports = [await freePort(host), await freePort(host)];
  const webhookUrls = ports.map((port) => `http://${host}:${port}/webhooks/media`);
  // Step 1, every program accepts both keys: LiveKit has both, and signs with the former one.
  const spareKeys = { [present.apiKey]: present.apiSecret };
  await using media = await startMediaServer({ spareKeys, webhookUrls });
  await using stage = await TestStage.open(media);
  await using recorders = new AsyncDisposableStack();
  const start = async (index: number, env: NodeJS.ProcessEnv) => {
    const own = { ...stage.env(`${temp.folder}/${index}`), METRICS_PORT: String(ports[index]) };
    return recorders.use(await startRecorderProcess({ ...own, ...env }));
  };
  const first = await start(0, {});
  const sessionId = await stage.recordedSession();
  const talking = await talk(stage, sessionId, 50);
  await until(() => hasStored(stage, sessionId, 10));
  await until(async () => (await webhooks(first, 'taken')) > 0);

  // Step 2, every program uses the new key: a recorder with it takes over, and a person joins with a token made from
  // it.
  const second = await start(1, {
    MEDIA_API_KEY: present.apiKey,
    MEDIA_API_SECRET: present.apiSecret,
    MEDIA_API_KEY_PREVIOUS: media.apiKey,
    MEDIA_API_SECRET_PREVIOUS: media.apiSecret,
  });
  const exit = once(first.child, 'exit');
  first.child.kill('SIGTERM');
  expect(await exit).toEqual([0, null]);
  const comer = async (name: string) => {
    const user = { room: sessionId, userId: uuidv7(), name };
    const { token } = await userToken({ url: media.url, ...present }, user);
    const room = await joinRoom({ url: media.url, token });
    recorders.use(room);
    await room.say(`${name} is here`);
  };
  await comer('Bea');
  await until(async () => (await webhooks(second, 'taken')) > 0);
  await talking.hush();
  await until(() => hasStored(stage, sessionId, talking.said));
  expect(await storedTalk(stage, sessionId)).toEqual(talking.said);
  expect(await stage.gaps(sessionId)).toEqual({ reported: [], left: [] });
  expect(await webhooks(second, 'unsigned')).toBe(0);

  // Step 3, the old key is removed: the restart of LiveKit, which a change of keys cannot avoid, leaves one gap.
  const before = await webhooks(second, 'taken');
  await media.replaceKeys(present);
  await until(async () => (await stage.gaps(sessionId)).reported.length > 0);
  await comer('Cleo');
  await stage.historyWith(sessionId, ({ content }) => content === 'Cleo is here');
  await until(async () => (await webhooks(second, 'taken')) > before);
  expect(await webhooks(second, 'unsigned')).toBe(0);
  const late = { room: sessionId, userId: uuidv7(), name: 'Ana' };
  const { token } = await userToken(media, late);
  const refused = await fetch(
    `${media.url.replace('ws:', 'http:')}/rtc/validate?access_token=${token}`,
  );
  expect(refused.status).toBe(401);
}, 240_000);
