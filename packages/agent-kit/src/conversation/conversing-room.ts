import type { JoinedRoom } from '@session/media/room';

export type ConversingRoom = Pick<
  JoinedRoom,
  | 'closed'
  | 'connection'
  | 'identity'
  | 'name'
  | 'openText'
  | 'participants'
  | 'sendPacket'
  | 'setAttributes'
  | 'sid'
  | 'untilConnected'
>;
