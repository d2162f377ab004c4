import {
  API_TOPIC,
  NO_ATTRIBUTE,
  type Participant,
  RESEND_TOPIC,
  TEXTS_ATTRIBUTE,
} from '@session/contract/room';
import type { ParticipantInfo } from 'livekit-server-sdk';
import { mediaError } from '../media-error.ts';
import type { MediaServer } from './media-server.ts';
import { kindName } from './participant-kind.ts';
import { type RoomInstance, roomInstance } from './room-instance.ts';
import {
  DataPacket_Kind,
  ParticipantInfo_State,
  RoomServiceClient,
  ServerError,
} from './server-sdk.ts';
import { packetEncoder } from './signed-packet.ts';

/**
 * A participant in the server's list, which also has hidden participants. Room events arrive up to 3 s later. The list may
 * still have the participants of a killed node.
 */
export interface ListedParticipant extends Participant {
  readonly sid: string;
  readonly state: string;
  readonly isHidden: boolean;
  /** Whether the participant has set attributes, which our clients do once they can send and receive. */
  readonly isAnnounced: boolean;
  readonly readsTexts: boolean;
  readonly joinedAt: number;
  readonly trackSids: readonly string[];
}

export interface ListedRoom extends RoomInstance {
  /** Includes recorders and agents. Up to 5 s old, and a broken connection counts for another 15 s. */
  readonly participantCount: number;
}

/**
 * Creating something that exists, and removing something that does not, succeed. Each call throws `media_unavailable`,
 * without a token, if the server refuses or does not answer in time.
 */
export interface RoomService {
  createRoom(room: string): Promise<void>;
  deleteRoom(room: string): Promise<void>;
  listRooms(): Promise<string[]>;
  listParticipants(room: string): Promise<ListedParticipant[]>;
  findRooms(names: readonly string[]): Promise<ReadonlyMap<string, ListedRoom>>;
  /**
   * Makes the server announce a participant now, instead of up to 3 s later, without a visible change. A packet that is
   * sent at the same time may overtake the announcement. Also throws if the participant is not in the room.
   */
  announceParticipant(room: string, identity: string): Promise<void>;
  /**
   * Returns whether the identity is in any room of that name. Asks the participant's own node, whatever the list
   * contains. If the identity is in no such room, the answer takes 3 s.
   */
  hasParticipant(room: string, identity: string): Promise<boolean>;
  removeParticipant(room: string, identity: string): Promise<void>;
  /**
   * Sends a signed JSON packet reliably to all. The signature is necessary because LiveKit names no sender. Creates the
   * room; `sendPacketTo` does not.
   */
  sendPacket(room: string, packet: object): Promise<void>;
  sendPacketTo(room: string, identity: string, packet: object): Promise<void>;
  /**
   * Requests the messages with these numbers of the sequence `q` again. Also succeeds without a receiver: only a stored
   * message is an answer.
   */
  askAgain(room: string, identity: string, q: string, ns: readonly number[]): Promise<void>;
}

const ABSENT_SECONDS = 6;

/**
 * Returns a service that keeps no connection open. `timeoutMs` applies to each request, and is rounded up to 100 ms; the
 * request of `hasParticipant` may take 6 s.
 */
export function openRoomService(server: MediaServer, { timeoutMs = 2000 } = {}): RoomService {
  // Whole tenths of a second: other values leave fractions of a millisecond, which the SDK's timer refuses.
  const requestTimeout = Math.ceil(timeoutMs / 100) / 10;
  const { url, apiKey, apiSecret } = server;
  const client = new RoomServiceClient(url, apiKey, apiSecret, { requestTimeout, failover: false });
  const patientClient = new RoomServiceClient(url, apiKey, apiSecret, {
    requestTimeout: Math.max(requestTimeout, ABSENT_SECONDS),
    failover: false,
  });
  const encode = packetEncoder(server);
  const createRoom = async (room: string) => {
    await attempt(`create room ${room}`, () => client.createRoom({ name: room }));
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
    async findRooms(names) {
      const rooms = await attempt('find rooms', () => client.listRooms([...names]));
      return new Map(
        rooms.map((room) => {
          const { name, numParticipants: participantCount } = room;
          return [name, { ...roomInstance(room), participantCount }];
        }),
      );
    },
    async announceParticipant(room, identity) {
      await attempt(`announce ${identity} in ${room}`, async () => {
        // The server may drop the first announcement of a participant that is joining: see `OwnAttributes.announce`.
        for (let count = 0; count < 2; count += 1) {
          await client.updateParticipant(room, identity, { attributes: { [NO_ATTRIBUTE]: '' } });
        }
      });
    },
    async listParticipants(room) {
      const listed = await attempt(`list participants of ${room}`, () =>
        client.listParticipants(room),
      );
      return listed.map(toListed);
    },
    async hasParticipant(room, identity) {
      // Changes no subscription. It is the only request that a server answers without reading its list.
      return await attempt(`find ${identity} in ${room}`, async () =>
        patientClient.updateSubscriptions(room, identity, [], true).then(() => true, ifAbsent),
      );
    },
    async removeParticipant(room, identity) {
      await attempt(`remove ${identity} from ${room}`, () =>
        client.removeParticipant(room, identity).catch(ignoreMissing),
      );
    },
    async sendPacketTo(room, identity, packet) {
      const data = encode(room, packet);
      const destinationIdentities = [identity];
      await attempt(`send to ${identity} in ${room}`, () =>
        client.sendData(room, data, DataPacket_Kind.RELIABLE, { destinationIdentities }),
      );
    },
    async askAgain(room, identity, q, ns) {
      const options = { destinationIdentities: [identity], topic: RESEND_TOPIC };
      await attempt(`ask ${identity} in ${room}`, () =>
        client.sendData(room, encode(room, { q, ns }), DataPacket_Kind.RELIABLE, options),
      );
    },
    async sendPacket(room, packet) {
      // Sending to a room that does not exist hangs for 3 s and then fails.
      await createRoom(room);
      const data = encode(room, packet);
      await attempt(`send to ${room}`, () =>
        client.sendData(room, data, DataPacket_Kind.RELIABLE, { topic: API_TOPIC }),
      );
    },
  };
}

async function attempt<T>(action: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw mediaError(`cannot ${action}`, error);
  }
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof ServerError && error.status === 404)) throw error;
}

const ABSENT_CODES = new Set(['not_found', 'unavailable']);

/**
 * Returns false if no node has the participant, or none has answered. A balancer without a node also answers 503, but
 * without a code.
 */
function ifAbsent(error: unknown): false {
  if (error instanceof ServerError && ABSENT_CODES.has(error.code ?? '')) return false;
  throw error;
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
    readsTexts: info.attributes[TEXTS_ATTRIBUTE] === 'packet',
    joinedAt: Number(info.joinedAtMs),
    trackSids: info.tracks.map(({ sid }) => sid),
  };
}
