import { decodeNumbered, type RoomEvent } from '@session/contract/room';
import { joinRoom, userToken } from '@session/media';
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
    const say = async (id?: string) => {
      const payload = { content: 'hello', seq, id };
      const url = `/sessions/${sessionId}/messages`;
      return (await api.inject(ana, { method: 'POST', url, payload })).json();
    };
    const answer = await say();
    expect(answer).toMatchObject({ content: 'hello', metadata: { seq } });
    // Said again until it arrives: the media server sends nothing into a connection that is not ready at its own end.
    const sayAgain = async () => {
      await say(answer.id);
      return events;
    };
    await expect.poll(sayAgain).not.toEqual([]);
    const [event] = events;
    const recorded = event && decodeNumbered(event, { sessionId, newId: () => 'none' });
    expect(recorded).toMatchObject({ message: { id: answer.id, metadata: { seq } } });
    await room.leave();
  },
);
