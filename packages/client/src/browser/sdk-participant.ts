import type { Participant } from '@session/contract/room';
import type { Participant as SdkParticipant } from 'livekit-client';
import type { Sdk } from './livekit.ts';

export function isHidden({ permissions }: SdkParticipant): boolean {
  return permissions?.hidden === true;
}

export function participantOf({ ParticipantKind }: Sdk, participant: SdkParticipant): Participant {
  const { identity, name = '', sid, kind } = participant;
  const kindName: string | undefined = ParticipantKind[kind];
  return { identity, name, sid: sid || null, kind: kindName?.toLowerCase() ?? 'unknown' };
}
