import { openRoomService } from '@session/media';
import type { Page } from '@session/testing/browser-test';
import { expect } from 'vitest';
import { type BrowserTalker, talkTest as test } from '../../testing/talks.ts';

const roomOf = async ({ page }: BrowserTalker) =>
  await page.evaluate(() => window.talk.room.getSnapshot());

/** Waits until a page hears the other participant. */
async function untilOtherIsLoud({ page }: BrowserTalker) {
  await page.waitForFunction(() => {
    const { room } = window.talk;
    const others = room.getSnapshot().participants.filter(({ isLocal }) => !isLocal);
    return others.some(({ identity }) => room.level(identity) > 0.3);
  });
}

/** Makes the page show in `data-sink` through which speaker it plays. */
async function watchSink(page: Page) {
  await page.addInitScript(() => {
    const { prototype } = HTMLMediaElement;
    const setSinkId = Reflect.get(prototype, 'setSinkId');
    prototype.setSinkId = async function setNotedSinkId(id) {
      await setSinkId.call(this, id);
      document.documentElement.dataset['sink'] = id;
    };
  });
}

/**
 * Removes a device from the list that the browser gives to the page, because Chromium's fake devices cannot be
 * unplugged.
 */
async function unplug(page: Page, unplugged: string) {
  await page.evaluate((id) => {
    const { mediaDevices } = navigator;
    const enumerate = mediaDevices.enumerateDevices.bind(mediaDevices);
    mediaDevices.enumerateDevices = async () =>
      (await enumerate()).filter(({ deviceId }) => deviceId !== id);
    mediaDevices.dispatchEvent(new Event('devicechange'));
  }, unplugged);
}

test('a chosen speaker plays what the others say; unplugged, it gives way to the default, with a notice', async ({
  session,
}) => {
  const ada = await session.join('Ada', { before: watchSink });
  const ben = await session.join('Ben');
  const { page } = ada;
  const sink = async () => await page.evaluate(() => document.documentElement.dataset['sink']);
  await ben.page.evaluate(() => window.talk.room.microphone.enable());
  await page.waitForFunction(() => window.talk.room.getSnapshot().speakers.length > 1);
  const { speakers, speakerId } = await roomOf(ada);
  expect(speakerId).toBeNull();
  const [other = '', chosen = ''] = speakers.map(({ id }) => id);
  await page.waitForFunction(() =>
    window.talk.room
      .getSnapshot()
      .participants.some(({ isLocal, isMuted }) => !isLocal && !isMuted),
  );
  await page.evaluate((id) => window.talk.room.chooseSpeaker(id), chosen);
  await expect.poll(sink).toBe(chosen);
  const refused = page.evaluate(() => window.talk.room.chooseSpeaker('no such speaker'));
  await expect(refused).rejects.toThrow('NotFoundError');
  expect(await roomOf(ada)).toMatchObject({ speakerId: chosen, notice: null });
  await unplug(page, other);
  await page.waitForFunction(() => window.talk.room.getSnapshot().speakers.length === 1);
  expect(await roomOf(ada)).toMatchObject({ speakerId: chosen, notice: null });
  await unplug(page, chosen);
  await page.waitForFunction(() => window.talk.room.getSnapshot().notice === 'speaker_unplugged');
  await expect.poll(sink).toBe('default');
  expect(await roomOf(ada)).toMatchObject({ speakerId: null });
  await page.evaluate((id) => window.talk.room.chooseSpeaker(id), other);
  expect(await roomOf(ada)).toMatchObject({ speakerId: other, notice: null });
});

test('a microphone whose device is gone gives way to the default; without any it is absent until one is plugged in', async ({
  session,
}) => {
  const ada = await session.join('Ada');
  const ben = await session.join('Ben');
  const { page } = ada;
  await page.evaluate(() => window.talk.room.microphone.enable());
  await untilOtherIsLoud(ben);
  await page.evaluate(() => window.unplugMicrophones());
  await page.waitForFunction(
    () => window.talk.room.getSnapshot().notice === 'microphone_unplugged',
  );
  expect(await roomOf(ada)).toMatchObject({ microphone: 'on', microphoneId: null });
  await untilOtherIsLoud(ben);
  await page.evaluate(() => {
    const { mediaDevices } = navigator;
    const open = mediaDevices.getUserMedia.bind(mediaDevices);
    mediaDevices.getUserMedia = async () => {
      mediaDevices.getUserMedia = open;
      throw new DOMException('', 'NotFoundError');
    };
    window.unplugMicrophones();
  });
  await page.waitForFunction(() => window.talk.room.getSnapshot().microphone === 'absent');
  await ben.page.waitForFunction(() =>
    window.talk.room.getSnapshot().participants.every(({ isLocal, isMuted }) => isLocal || isMuted),
  );
  await page.evaluate(() => navigator.mediaDevices.dispatchEvent(new Event('devicechange')));
  await page.waitForFunction(() => window.talk.room.getSnapshot().microphone === 'on');
  await untilOtherIsLoud(ben);
});

test('a microphone that the connection refuses in place of another one is published by itself', async ({
  session,
}) => {
  const errors: Error[] = [];
  const ada = await session.join('Ada', {
    before: async (opened) => void opened.on('pageerror', (error) => errors.push(error)),
  });
  const ben = await session.join('Ben');
  const { page } = ada;
  await page.evaluate(() => window.talk.room.microphone.enable());
  await untilOtherIsLoud(ben);
  await page.waitForFunction(() => window.talk.room.getSnapshot().microphones.length > 1);
  const [chosen = '', other = ''] = (await roomOf(ada)).microphones.map(({ id }) => id);
  await page.evaluate((id) => window.talk.room.chooseMicrophone(id), chosen);
  // A connection that is set up again refuses a track at a moment that no test can choose.
  const refuse = () =>
    page.evaluate(() => {
      const { prototype } = RTCRtpSender;
      const replaceTrack = Reflect.get(prototype, 'replaceTrack');
      prototype.replaceTrack = async () => {
        prototype.replaceTrack = replaceTrack;
        throw new DOMException('', 'InvalidStateError');
      };
    });
  await refuse();
  await page.evaluate((id) => window.talk.room.chooseMicrophone(id), other);
  expect(await roomOf(ada)).toMatchObject({ microphone: 'on', microphoneId: other });
  await untilOtherIsLoud(ben);
  await refuse();
  await unplug(page, other);
  await page.waitForFunction(
    () => window.talk.room.getSnapshot().notice === 'microphone_unplugged',
  );
  await page.waitForFunction(() => window.talk.room.getSnapshot().microphone === 'on');
  await untilOtherIsLoud(ben);
  expect(errors).toEqual([]);
});

test('a microphone that the connection cannot take back is off all the same', async ({
  session,
}) => {
  const ada = await session.join('Ada');
  const { page } = ada;
  await page.evaluate(() => window.talk.room.microphone.enable());
  // The connection fails, as when the network is lost for 15 s.
  await page.evaluate(() => {
    const { prototype } = RTCPeerConnection;
    const createOffer = Reflect.get(prototype, 'createOffer');
    prototype.createOffer = async () => {
      prototype.createOffer = createOffer;
      throw new DOMException('', 'InvalidStateError');
    };
  });
  await page.evaluate(() => window.talk.room.microphone.disable());
  expect(await roomOf(ada)).toMatchObject({ microphone: 'off' });
});

test('after a restart of the media server a page announces itself to the others again', async ({
  world: { media },
  session,
}) => {
  let announcements = 0;
  const { page } = await session.join('Ada', {
    before: async (opened) => {
      opened.on('websocket', (socket) =>
        socket.on('framesent', ({ payload }) => {
          if (payload.includes('announcedAt')) announcements += 1;
        }),
      );
    },
  });
  await expect.poll(() => announcements).toBe(1);
  await media.kill();
  await page.waitForFunction(() => window.talk.connection === 'reconnecting');
  await media.start();
  await page.waitForFunction(() => window.talk.connection === 'live');
  expect(announcements).toBeGreaterThan(1);
  const listed = await openRoomService(media).listParticipants(session.sessionId);
  expect(listed).toMatchObject([{ name: 'Ada', isAnnounced: true }]);
});

/** Answers the browser's prompt only at the event `answer`. Counts in `data-stopped` the tracks that were stopped. */
async function holdPrompt(page: Page) {
  await page.addInitScript(() => {
    const { mediaDevices } = navigator;
    const open = mediaDevices.getUserMedia.bind(mediaDevices);
    const answered = new Promise((resolve) => document.addEventListener('answer', resolve));
    mediaDevices.getUserMedia = async (constraints) => {
      await answered;
      const stream = await open(constraints);
      for (const track of stream.getTracks()) {
        const stop = track.stop.bind(track);
        track.stop = () => {
          stop();
          const { dataset } = document.documentElement;
          dataset['stopped'] = String(Number(dataset['stopped'] ?? 0) + 1);
        };
      }
      return stream;
    };
  });
}

test('a prompt for the microphone that nobody answers delays neither another mode nor the end', async ({
  session,
}) => {
  const { page } = await session.join('Ada', { before: holdPrompt });
  const ask = async () => {
    await page.evaluate(() => void window.talk.room.microphone.enable());
    await page.waitForFunction(() => window.talk.room.getSnapshot().microphone === 'asking');
  };
  await ask();
  await page.evaluate(() => window.talk.conversation.setMode('history'));
  await page.waitForFunction(() => window.talk.room.getSnapshot().microphone === 'off');
  await page.evaluate(() => window.talk.conversation.setMode('join'));
  await page.waitForFunction(() => window.talk.connection === 'live');
  await ask();
  await page.evaluate(() => window.talk.conversation.close());
  await page.evaluate(() => document.dispatchEvent(new Event('answer')));
  await page.waitForFunction(() => document.documentElement.dataset['stopped'] === '2');
});

/** Hides the devices until the page has opened a microphone, as browsers do until the person has allowed one. */
async function hideDevices(page: Page) {
  await page.addInitScript(() => {
    const { mediaDevices } = navigator;
    const open = mediaDevices.getUserMedia.bind(mediaDevices);
    const enumerate = mediaDevices.enumerateDevices.bind(mediaDevices);
    let isAllowed = false;
    mediaDevices.getUserMedia = async (constraints) => {
      const stream = await open(constraints);
      isAllowed = true;
      return stream;
    };
    mediaDevices.enumerateDevices = async () => (isAllowed ? await enumerate() : []);
  });
}

test('the devices are listed as soon as the person has allowed a microphone', async ({
  session,
}) => {
  const ada = await session.join('Ada', { before: hideDevices });
  expect(await roomOf(ada)).toMatchObject({ microphones: [], speakers: [] });
  await ada.page.evaluate(() => window.talk.room.microphone.enable());
  await ada.page.waitForFunction(() => {
    const { microphones, speakers } = window.talk.room.getSnapshot();
    return microphones.length > 0 && speakers.length > 0;
  });
});
