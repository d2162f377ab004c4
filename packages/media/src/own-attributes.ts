import { type Room, RoomEvent as SdkEvent } from '@livekit/rtc-node';
import { pause } from '@session/kit';
import { NO_ATTRIBUTE } from './no-attribute.ts';

const LATE_ANSWER_MS = 200;

type Attributes = Readonly<Record<string, string>>;

/**
 * Our own attributes in a room.
 *
 * The server sends changed attributes to all participants, including us, and then answers. The SDK's native half listens for
 * the answer only after it has sent the request. It loses an answer that is faster, and notices that only after 5 s. So the
 * answer counts as lost `LATE_ANSWER_MS` after our own change: normally both arrive together.
 */
export class OwnAttributes {
  readonly #room: Room;
  #attributes: Attributes;

  constructor(room: Room, attributes: Attributes = {}) {
    this.#room = room;
    this.#attributes = attributes;
  }

  /**
   * Makes the server announce us to the other participants now, with all attributes that were set before: a restarted server
   * has lost them. By itself the server announces us when a track is published, or after 3 s. Until then our packets reach the
   * others without a sender.
   *
   * We ask twice. The server takes a snapshot of us for each change, and drops a snapshot that waits until a newer one has
   * overtaken it. While we join, the newer one may be that of our state, which it sends only after up to 3 s. If we leave
   * before that, nobody learns that we were there. Our state changes once, so it cannot overtake both snapshots.
   */
  async announce(): Promise<void> {
    void this.#room.localParticipant?.setAttributes({ [NO_ATTRIBUTE]: '' }).catch(() => {});
    await this.#send({ ...this.#attributes, announcedAt: new Date().toISOString() });
  }

  async set(attributes: Attributes): Promise<void> {
    if (hasAll(this.#attributes, attributes)) return;
    this.#attributes = { ...this.#attributes, ...attributes };
    await this.#send(attributes);
  }

  async #send(attributes: Attributes): Promise<void> {
    const room = this.#room;
    const ownChange = Promise.withResolvers<void>();
    const done = new AbortController();
    const receiveChange = () => {
      if (hasAll(room.localParticipant?.attributes ?? {}, attributes)) ownChange.resolve();
    };
    room.on(SdkEvent.ParticipantAttributesChanged, receiveChange);
    try {
      const answered = room.localParticipant?.setAttributes({ ...attributes });
      const answerIsLost = ownChange.promise.then(() => pause(LATE_ANSWER_MS, done.signal));
      await Promise.race([answered, answerIsLost]);
    } finally {
      done.abort();
      room.off(SdkEvent.ParticipantAttributesChanged, receiveChange);
    }
  }
}

function hasAll(attributes: Attributes, wanted: Attributes): boolean {
  return Object.entries(wanted).every(([name, value]) => (attributes[name] ?? '') === value);
}
