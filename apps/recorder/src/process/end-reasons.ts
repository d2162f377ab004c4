import { DisconnectReason } from '@livekit/rtc-node';

export type EndingReason =
  | 'gave_way'
  | 'lost'
  | 'recorder_replaced'
  | 'recorder_stopped'
  | 'session_closed'
  | 'taken_over';

const OWN: Readonly<Record<EndingReason | 'connection_lost' | 'recorder_died' | 'room_split', 0>> =
  {
    connection_lost: 0,
    gave_way: 0,
    lost: 0,
    recorder_died: 0,
    recorder_replaced: 0,
    recorder_stopped: 0,
    room_split: 0,
    session_closed: 0,
    taken_over: 0,
  };

export const END_REASONS: readonly string[] = [
  ...Object.keys(OWN),
  ...Object.values(DisconnectReason).flatMap((value) =>
    typeof value === 'string' ? value.toLowerCase() : [],
  ),
];
