import { encodePacket, NO_ATTRIBUTE, type UserTextPacket } from '@session/contract/room';
import type {
  DisconnectReason,
  RemoteTrack,
  Room,
  Participant as SdkParticipant,
} from 'livekit-client';
import type { ConnectedRoom, RoomEvents } from '../conversation/room.ts';
import { FrameCalls } from './frame-calls.ts';
import { isHidden, participantOf, type Sdk } from './livekit.ts';
import { TextStreams } from './text-streams.ts';

export class BrowserConnection implements ConnectedRoom {
  readonly #sdk: Sdk;
  readonly #room: Room;
  readonly #frames = new FrameCalls();
  readonly #closed = Promise.withResolvers<string>();
  readonly #sending = new Set<Promise<void>>();
  #isLost = false;

  constructor(sdk: Sdk, room: Room, listener: RoomEvents, onChange: () => void) {
    this.#sdk = sdk;
    this.#room = room;
    this.#listen(listener);
    this.#show(onChange);
  }

  get identity(): string {
    return this.#room.localParticipant.identity;
  }

  get closed(): Promise<string> {
    return this.#closed.promise;
  }

  async connect(url: string, token: string): Promise<void> {
    await this.#room.connect(url, token);
    await this.#announce();
  }

  async send(packet: UserTextPacket & { readonly id: string }): Promise<void> {
    const sending = this.#room.localParticipant.publishData(encodePacket(packet), {
      reliable: true,
    });
    this.#sending.add(sending);
    await sending.finally(() => this.#sending.delete(sending));
  }

  async leave(): Promise<void> {
    await Promise.allSettled(this.#sending);
    await this.#room.disconnect(false);
    this.#end('CLIENT_INITIATED');
  }

  #listen(listener: RoomEvents): void {
    const { RoomEvent, DisconnectReason } = this.#sdk;
    const room = this.#room;
    new TextStreams(this.#sdk, room, listener, this.#frames).listen(room);
    const senderOf = (sender: SdkParticipant | undefined) =>
      sender ? participantOf(this.#sdk, sender) : null;
    const lose = () => {
      this.#isLost = true;
      listener.lost();
    };
    room
      .on(RoomEvent.DataReceived, (payload, sender, _kind, topic) => {
        const event = { type: 'packet', payload, sender: senderOf(sender) } as const;
        listener.event({ ...event, ...(topic && { topic }), receivedAt: Date.now() });
      })
      .on(RoomEvent.ChatMessage, ({ id, message: text, timestamp: sentAt }, sender) => {
        const event = { type: 'chat_message', id, text, sentAt } as const;
        listener.event({ ...event, sender: senderOf(sender), receivedAt: Date.now() });
      })
      .on(RoomEvent.ParticipantDisconnected, (leaver) => {
        const participant = { ...participantOf(this.#sdk, leaver), sid: leaver.sid };
        const left = { type: 'participant_left', participant, joinedAt: null } as const;
        const event = { ...left, reason: null, receivedAt: Date.now() };
        // After the leaver's last partials, which wait for the same frame.
        this.#frames.call(leaver, () => listener.event(event));
      })
      .on(RoomEvent.SignalReconnecting, lose)
      .on(RoomEvent.Reconnecting, lose)
      .on(RoomEvent.Reconnected, () => {
        void this.#announce().then(() => this.#restore(listener));
      })
      .on(RoomEvent.Disconnected, (reason?: DisconnectReason) => {
        this.#end(reason === undefined ? 'UNKNOWN_REASON' : DisconnectReason[reason]);
      });
  }

  #restore(listener: RoomEvents): void {
    if (!this.#isLost || this.#room.state !== this.#sdk.ConnectionState.Connected) return;
    this.#isLost = false;
    listener.restored();
  }

  #show(onChange: () => void): void {
    const { RoomEvent, Track } = this.#sdk;
    const room = this.#room;
    room
      .on(RoomEvent.TrackSubscribed, (track: RemoteTrack) => {
        if (track.kind === Track.Kind.Audio) track.attach();
        onChange();
      })
      .on(RoomEvent.TrackUnsubscribed, (track: RemoteTrack) => {
        track.detach();
        onChange();
      });
    for (const event of [
      RoomEvent.ParticipantConnected,
      RoomEvent.ParticipantDisconnected,
      RoomEvent.ParticipantAttributesChanged,
      RoomEvent.ParticipantNameChanged,
      RoomEvent.ActiveSpeakersChanged,
      RoomEvent.TrackMuted,
      RoomEvent.TrackUnmuted,
      RoomEvent.TrackPublished,
      RoomEvent.TrackUnpublished,
      RoomEvent.LocalTrackPublished,
      RoomEvent.LocalTrackUnpublished,
      RoomEvent.AudioPlaybackStatusChanged,
      RoomEvent.ConnectionStateChanged,
    ] as const) {
      room.on(event, onChange);
    }
  }

  /**
   * Announces this client twice, because the server drops an announcement when the client's state changes at the same time.
   * Only this client's packets need the announcement, so its failure does not end the connection.
   */
  async #announce(): Promise<void> {
    const self = this.#room.localParticipant;
    if (isHidden(self)) return;
    void self.setAttributes({ [NO_ATTRIBUTE]: '' }).catch(() => {});
    const attributes = { announcedAt: new Date().toISOString() };
    await self.setAttributes(attributes).catch(() => {});
  }

  #end(reason: string): void {
    this.#frames.stop();
    this.#closed.resolve(reason);
  }
}
