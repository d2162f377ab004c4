import { type Room, RoomEvent as SdkEvent } from '@livekit/rtc-node';
import { LAST_ATTRIBUTE, type SequenceNumber, sequenceOfAttribute } from '@session/contract/room';
import { guard } from '../guard.ts';

export type LastNumberReport = (identity: string, seq: SequenceNumber) => void;

interface Attributed {
  readonly identity: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/**
 * Reports the last numbers that participants announce. The returned function reports those of participants that were in
 * the room before us: call it when the room is connected. Passes errors of `report` to `error`.
 */
export function watchLastNumbers(
  room: Room,
  report: LastNumberReport,
  error: (error: unknown) => void,
): () => void {
  const read = guard(({ identity, attributes }: Attributed) => {
    const seq = sequenceOfAttribute(attributes[LAST_ATTRIBUTE] ?? '');
    if (seq) report(identity, seq);
  }, error);
  const readAll = () => {
    for (const participant of room.remoteParticipants.values()) read(participant);
  };
  room.on(SdkEvent.ParticipantConnected, read);
  room.on(SdkEvent.ParticipantAttributesChanged, (_changed, participant) => read(participant));
  room.on(SdkEvent.Reconnected, readAll);
  return readAll;
}
