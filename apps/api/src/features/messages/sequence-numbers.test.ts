import { decodeNumbered, type RoomEvent } from '@session/contract/room';
import { joinRoom, userToken } from '@session/media';
import { untilReached, withoutProbes } from '@session/media/testing';
import { testMedia } from '@session/testing';
import { expect } from 'vitest';
import { apiTestWithMedia } from '../../../testing/api-test.ts';

apiTestWithMedia(
  '201 with the number that the sender gave the message, also in the packet for the room',
  async ({ api, ana }) => {
    const media = testMedia();
    const sessionId = await api.createSession(ana);
    const { token } = await userToken(media, { room: sessionId, userId: 'u', name: 'u' });
    const events: RoomEvent[] = [];
    await using room = await joinRoom({
      url: media.url,
      token,
      onEvent: (event) => void events.push(event),
    });
    const seq = { q: 'k3x9qa7b', n: 3 };
    await untilReached(media, sessionId, { identity: room.identity, events });
    const answer = await api.inject(ana, {
      method: 'POST',
      url: `/sessions/${sessionId}/messages`,
      payload: { content: 'hello', seq },
    });
    expect(answer.json()).toMatchObject({ content: 'hello', metadata: { seq } });
    await expect.poll(() => withoutProbes(events)).toHaveLength(1);
    const [event] = withoutProbes(events);
    const recorded = event && decodeNumbered(event, { sessionId, newId: () => 'none' });
    expect(recorded).toMatchObject({ message: { id: answer.json().id, metadata: { seq } } });
    await room.leave();
  },
);
