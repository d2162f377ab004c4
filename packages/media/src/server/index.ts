// Makes tokens and asks the media server, without loading the client with which a participant joins a room.
export type { MediaKey, MediaServer } from './media-server.ts';
export type { RoomInstance } from './room-instance.ts';
export {
  type ListedParticipant,
  type ListedRoom,
  openRoomService,
  type RoomService,
} from './room-service.ts';
export { type IsSigned, packetEncoder, packetPublicKey } from './signed-packet.ts';
export {
  agentToken,
  isForeign,
  isIdentityOf,
  observerToken,
  operatorToken,
  type RoomToken,
  recorderToken,
  tokenOwner,
  userToken,
} from './tokens.ts';
