import { type Room, RoomEvent as SdkEvent } from '@livekit/rtc-node';
import { NO_ATTRIBUTE } from '@session/contract/room';
import { pause } from '@session/kit';

const LATE_ANSWER_MS = 200;

type Attributes = Readonly<Record<string, string>>;

/**
 * Our own attributes in a room. The server sends them to all participants, including us, and then answers. The SDK
 * misses an answer that arrives before it listens, and notices that only after 5 s. So the answer counts as lost
 * `LATE_ANSWER_MS` after our own change.
 */
export class OwnAttributes {
  readonly #room: Room;
  #attributes: Attributes;

  constructor(room: Room, attributes: Attributes = {}) {
    this.#room = room;
    this.#attributes = attributes;
  }

  /**
   * Makes the server announce us now, with all attributes, instead of with a track or after 3 s: until then our packets
   * have no sender. A restarted server has lost the attributes. Requests the announcement twice: a snapshot is dropped
   * if a newer one overtakes it, and while we join, the snapshot with our state may wait 3 s. Our state changes only
   * once, so it cannot overtake both.
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
