import { ParticipantKind, type Room, type Participant as SdkParticipant } from '@livekit/rtc-node';
import type { Participant } from '@session/contract/room';

export function participantOf(participant: SdkParticipant): Participant & { sid: string } {
  const { identity, name = '', kind } = participant;
  // Without a SID from the server, two unknown participants must have different ones.
  const sid = participant.sid || identity;
  const kindName: string | undefined = ParticipantKind[kind];
  return { identity, name, sid, kind: kindName?.toLowerCase() ?? 'unknown' };
}

export function agentsIn({ remoteParticipants }: Room): string[] {
  return Array.from(remoteParticipants.values())
    .filter(({ kind }) => kind === ParticipantKind.AGENT)
    .map(({ identity }) => identity);
}
