import { setTimeout } from 'node:timers/promises';
import type { Page } from '@session/testing/browser-test';
import { expect } from 'vitest';
import { type BrowserTalker, talkTest as test } from '../../testing/talks.ts';

const roomOf = async ({ page }: BrowserTalker) =>
  await page.evaluate(() => window.talk.room.getSnapshot());

/** Waits until the page hears this participant. */
async function untilLoud({ page }: BrowserTalker, identity: string, timeout = 60_000) {
  await page.waitForFunction((name) => window.talk.room.level(name) > 0.3, identity, { timeout });
}

/** Says a sentence of two seconds, and pauses. Returns whether the page hears an answer of this participant. */
async function isAnsweredBy(talker: BrowserTalker, identity: string) {
  await talker.page.evaluate(() => window.talk.room.microphone.unmute());
  await setTimeout(2000);
  await talker.page.evaluate(() => window.talk.room.microphone.mute());
  return await untilLoud(talker, identity, 10_000).then(
    () => true,
    () => false,
  );
}

test('speech goes to a real echo agent and comes back; it is muted and unmuted, and text is answered too', async ({
  world: { client },
  session,
}) => {
  const ada = await session.join('Ada');
  const { page } = ada;
  const agent = await client.agents.start(session.sessionId, {
    role: 'echo-agent',
    config: { echoMode: 'both' },
  });
  await client.agents.untilRunning(agent.id);
  await page.waitForFunction(() =>
    window.talk.room.getSnapshot().participants.some(({ kind }) => kind === 'agent'),
  );
  const { participants } = await roomOf(ada);
  const [self, echo] = [
    participants.find(({ isLocal }) => isLocal),
    participants.find(({ kind }) => kind === 'agent'),
  ];
  expect(self).toMatchObject({ kind: 'user', name: 'Ada', isMuted: true });
  await page.evaluate(() => window.talk.room.microphone.enable());
  expect(await roomOf(ada)).toMatchObject({ microphone: 'on' });
  await untilLoud(ada, self?.identity ?? '');
  await page.evaluate(() => window.talk.room.microphone.mute());
  expect(await roomOf(ada)).toMatchObject({ microphone: 'muted' });
  expect(await page.evaluate((name) => window.talk.room.level(name), self?.identity ?? '')).toBe(0);
  // What is said before the agent has subscribed to the new track does not reach it.
  await expect.poll(() => isAnsweredBy(ada, echo?.identity ?? '')).toBe(true);
  await page.evaluate(() => window.talk.conversation.say('Hello'));
  await page.waitForFunction(() =>
    window.talk.said().some(({ content }) => content === 'You said: Hello'),
  );
  await page.evaluate(() => window.talk.room.microphone.unmute());
  expect(await roomOf(ada)).toMatchObject({ microphone: 'on' });
  await page.evaluate(() => window.talk.room.microphone.disable());
  expect(await roomOf(ada)).toMatchObject({ microphone: 'off' });
});

test('the microphone stays on when the media server was killed: it is published again', async ({
  world: { media },
  session,
}) => {
  const ada = await session.join('Ada');
  const ben = await session.join('Ben');
  await ada.page.evaluate(() => window.talk.room.microphone.enable());
  const isHeard = async () => {
    const { participants } = await roomOf(ben);
    return participants.some(({ isLocal, isMuted }) => !isLocal && !isMuted);
  };
  await expect.poll(isHeard).toBe(true);
  await media.kill();
  await ben.page.waitForFunction(() => window.talk.connection === 'reconnecting');
  await media.start();
  await ben.page.waitForFunction(() => window.talk.connection === 'live');
  await expect.poll(isHeard).toBe(true);
  expect(await roomOf(ada)).toMatchObject({ microphone: 'on' });
});

/** Makes the browser answer every question for a microphone with this error. */
async function refuse(page: Page, name: string) {
  await page.addInitScript((error) => {
    navigator.mediaDevices.getUserMedia = async () => {
      throw new DOMException('', error);
    };
  }, name);
}

test.for([
  ['NotAllowedError', 'denied'],
  ['NotFoundError', 'absent'],
  ['NotReadableError', 'failed'],
] as const)('%s: the microphone is %s, and text works', async ([error, state], { session }) => {
  const ada = await session.join('Ada', { before: (page) => refuse(page, error) });
  await ada.page.evaluate(() => window.talk.room.microphone.enable());
  expect(await roomOf(ada)).toMatchObject({ microphone: state });
  await ada.page.evaluate(() => window.talk.conversation.say('Hello'));
  await ada.page.waitForFunction(() => window.talk.said()[0]?.state === 'complete');
});

test('a page without TLS on another host: the microphone is insecure', async ({
  browser,
  world: { origin },
}) => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.route('http://insecure.test/**', async (route) => {
    const { pathname } = new URL(route.request().url());
    const answer = await fetch(new URL(pathname, origin));
    const contentType = answer.headers.get('content-type') ?? '';
    await route.fulfill({ contentType, body: await answer.text() });
  });
  await page.goto('http://insecure.test/');
  const state = await page.evaluate(async () => {
    const { room } = new window.TalkPage({ baseUrl: '/', token: '', sessionId: '' });
    await room.microphone.enable();
    return room.getSnapshot().microphone;
  });
  await context.close();
  expect(state).toBe('insecure');
});

test('a chosen microphone that is unplugged gives way to the default, with a notice', async ({
  session,
}) => {
  const ada = await session.join('Ada');
  const { page } = ada;
  await page.evaluate(() => window.talk.room.microphone.enable());
  await page.waitForFunction(() => window.talk.room.getSnapshot().microphones.length > 1);
  const { microphones } = await roomOf(ada);
  const chosen = microphones.at(-1)?.id ?? '';
  await page.evaluate((id) => window.talk.room.chooseMicrophone(id), chosen);
  expect(await roomOf(ada)).toMatchObject({ microphone: 'on', microphoneId: chosen, notice: null });
  // Chromium's fake devices cannot be unplugged.
  await page.evaluate((id) => {
    const { mediaDevices } = navigator;
    const enumerate = mediaDevices.enumerateDevices.bind(mediaDevices);
    mediaDevices.enumerateDevices = async () =>
      (await enumerate()).filter(({ deviceId }) => deviceId !== id);
    mediaDevices.dispatchEvent(new Event('devicechange'));
  }, chosen);
  await page.waitForFunction(
    () => window.talk.room.getSnapshot().notice === 'microphone_unplugged',
  );
  await page.waitForFunction(() => window.talk.room.getSnapshot().microphone === 'on');
  expect(await roomOf(ada)).toMatchObject({ microphoneId: null });
  await page.evaluate(() => window.talk.room.dismissNotice());
  expect(await roomOf(ada)).toMatchObject({ notice: null });
});

test('sound that the browser blocks is played when the person asks for it', async ({ session }) => {
  const ada = await session.join('Ada', {
    before: (page) =>
      page.addInitScript(() => {
        const play = Reflect.get(HTMLMediaElement.prototype, 'play');
        let isAllowed = false;
        window.addEventListener('click', () => {
          isAllowed = true;
        });
        HTMLMediaElement.prototype.play = async function playOnceAllowed() {
          if (!isAllowed) {
            throw new DOMException('', 'NotAllowedError');
          }
          await play.call(this);
        };
      }),
  });
  const ben = await session.join('Ben');
  await ben.page.evaluate(() => window.talk.room.microphone.enable());
  await ada.page.waitForFunction(() => !window.talk.room.getSnapshot().canPlayAudio);
  await ada.page.mouse.click(10, 10);
  await ada.page.evaluate(() => window.talk.room.playAudio());
  expect(await roomOf(ada)).toMatchObject({ canPlayAudio: true });
});

/** Makes the page show in `data-meters` how many tracks it measures. */
async function countMeters(page: Page) {
  await page.addInitScript(() => {
    let meters = 0;
    const count = (change: number) => {
      meters += change;
      document.documentElement.dataset['meters'] = String(meters);
    };
    const { prototype } = AudioContext;
    const createSource = Reflect.get(prototype, 'createMediaStreamSource');
    prototype.createMediaStreamSource = function createCounted(stream) {
      const source: MediaStreamAudioSourceNode = createSource.call(this, stream);
      const disconnect = source.disconnect.bind(source);
      source.disconnect = () => {
        disconnect();
        count(-1);
      };
      count(1);
      return source;
    };
  });
}

test('the page stops measuring the level of a participant who has left', async ({ session }) => {
  const { page } = await session.join('Ada', { before: countMeters });
  const ben = await session.join('Ben');
  await ben.page.evaluate(() => window.talk.room.microphone.enable());
  // Only a page with which the person has interacted may measure sound.
  await page.mouse.click(10, 10);
  await page.waitForFunction(() => {
    const { room } = window.talk;
    for (const { identity } of room.getSnapshot().participants) room.level(identity);
    return document.documentElement.dataset['meters'] === '1';
  });
  await ben.page.evaluate(() => window.talk.conversation.close());
  await page.waitForFunction(() => document.documentElement.dataset['meters'] === '0');
});
