import type { Participant } from '@session/contract/room';
import type { Participant as SdkParticipant } from 'livekit-client';
import type { Sdk } from './livekit.ts';

/** Whether this client is in a room as an observer. */
export function isHidden({ permissions }: SdkParticipant): boolean {
  return permissions?.hidden === true;
}

/** Returns a participant of LiveKit's SDK as the `Participant` of a room event. */
export function participantOf({ ParticipantKind }: Sdk, participant: SdkParticipant): Participant {
  const { identity, name = '', sid, kind } = participant;
  const kindName: string | undefined = ParticipantKind[kind];
  return { identity, name, sid: sid || null, kind: kindName?.toLowerCase() ?? 'unknown' };
}
