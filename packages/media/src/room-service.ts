import type { Participant } from '@session/contract/room';
import {
  DataPacket_Kind,
  type ParticipantInfo,
  ParticipantInfo_State,
  RoomServiceClient,
  ServerError,
} from 'livekit-server-sdk';
import { mediaError } from './media-error.ts';
import type { MediaServer } from './media-server.ts';
import { kindName } from './participant-kind.ts';

/** A participant as the server lists it: at once, hidden ones too, while room events come up to 3 s late. */
export interface ListedParticipant extends Participant {
  readonly sid: string;
  /** `active` when it can send and receive, `joining` or `joined` a moment before. */
  readonly state: string;
  readonly isHidden: boolean;
  /** It has set attributes: it can send and receive by its own account, as all do that say who they are. */
  readonly isAnnounced: boolean;
  /** The server's clock, in milliseconds since the epoch. */
  readonly joinedAt: number;
}

/**
 * The media server's rooms. Each call throws an AppError `media_unavailable`, with no token in its message, when the
 * server does not do what was asked within the time-out.
 */
export interface RoomService {
  /** Makes the room; one that is there stays as it is. */
  createRoom(room: string): Promise<void>;
  /** Removes the room, and all who are in it; done when there is none. */
  deleteRoom(room: string): Promise<void>;
  /** Gives the names of all rooms. */
  listRooms(): Promise<string[]>;
  /** Gives who is in the room; nobody when there is none. */
  listParticipants(room: string): Promise<ListedParticipant[]>;
  /** Sends a participant out; done when it is not there. */
  removeParticipant(room: string, identity: string): Promise<void>;
  /** Sends a JSON packet to all in the room, reliably and with no sender; makes the room first if there is none. */
  sendPacket(room: string, packet: object): Promise<void>;
  /** As `sendPacket`, to that participant alone, of a room that there is. */
  sendPacketTo(room: string, identity: string, packet: object): Promise<void>;
}

/** Gives the rooms of `server`. Holds no connection; `timeoutMs` is for each request, in steps of 100. */
export function openRoomService(server: MediaServer, { timeoutMs = 2000 } = {}): RoomService {
  // In whole tenths of a second: the SDK's timer refuses the fraction of a millisecond that others leave.
  const requestTimeout = Math.ceil(timeoutMs / 100) / 10;
  const { url, apiKey, apiSecret } = server;
  const client = new RoomServiceClient(url, apiKey, apiSecret, { requestTimeout, failover: false });
  const createRoom = async (room: string) => {
    await attempt(`make room ${room}`, () => client.createRoom({ name: room }));
  };
  return {
    createRoom,
    async deleteRoom(room) {
      await attempt(`delete room ${room}`, () => client.deleteRoom(room).catch(ignoreMissing));
    },
    async listRooms() {
      const rooms = await attempt('list rooms', () => client.listRooms());
      return rooms.map(({ name }) => name);
    },
    async listParticipants(room) {
      const listed = await attempt(`list participants of ${room}`, () =>
        client.listParticipants(room),
      );
      return listed.map(toListed);
    },
    async removeParticipant(room, identity) {
      await attempt(`remove ${identity} from ${room}`, () =>
        client.removeParticipant(room, identity).catch(ignoreMissing),
      );
    },
    async sendPacketTo(room, identity, packet) {
      const data = new TextEncoder().encode(JSON.stringify(packet));
      const destinationIdentities = [identity];
      await attempt(`send to ${identity} in ${room}`, () =>
        client.sendData(room, data, DataPacket_Kind.RELIABLE, { destinationIdentities }),
      );
    },
    async sendPacket(room, packet) {
      // Sending into a room that does not exist hangs for 3 s, and fails then.
      await createRoom(room);
      const data = new TextEncoder().encode(JSON.stringify(packet));
      await attempt(`send to ${room}`, () =>
        client.sendData(room, data, DataPacket_Kind.RELIABLE, {}),
      );
    },
  };
}

async function attempt<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw mediaError(`cannot ${what}`, error);
  }
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof ServerError && error.status === 404)) throw error;
}

function toListed(info: ParticipantInfo): ListedParticipant {
  return {
    identity: info.identity,
    name: info.name,
    sid: info.sid,
    kind: kindName(info.kind),
    state: ParticipantInfo_State[info.state].toLowerCase(),
    isHidden: info.permission?.hidden ?? false,
    isAnnounced: Object.keys(info.attributes).length > 0,
    joinedAt: Number(info.joinedAtMs),
  };
}
