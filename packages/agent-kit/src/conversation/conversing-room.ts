import type { JoinedRoom } from '@session/media/room';

/** What a conversation uses of its room. */
export type ConversingRoom = Pick<
  JoinedRoom,
  | 'closed'
  | 'identity'
  | 'name'
  | 'openText'
  | 'participants'
  | 'sendPacket'
  | 'setAttributes'
  | 'sid'
  | 'untilConnected'
>;
