import { isAgent, isRecorder, senderOf } from '@session/contract/room';
import type { Room, Participant as SdkParticipant } from 'livekit-client';
import type { RoomParticipant } from './browser-room-snapshot.ts';
import { isHidden, participantOf, type Sdk } from './livekit.ts';

const AGENT_STATE_ATTRIBUTE = 'lk.agent.state';

export function participantsOf(sdk: Sdk, room: Room): RoomParticipant[] {
  if (room.state === sdk.ConnectionState.Disconnected) return [];
  const all = [room.localParticipant, ...room.remoteParticipants.values()];
  return all.filter(isShown).map((participant) => roomParticipantOf(sdk, participant));
}

function isShown(participant: SdkParticipant): boolean {
  return participant.identity !== '' && !isRecorder(participant) && !isHidden(participant);
}

function roomParticipantOf(sdk: Sdk, participant: SdkParticipant): RoomParticipant {
  const { identity, name, kind } = participantOf(sdk, participant);
  const { isLocal, isSpeaking, isMicrophoneEnabled, attributes } = participant;
  return {
    identity,
    sender: senderOf(identity),
    name,
    kind: isAgent({ identity, kind }) ? 'agent' : kind === 'standard' ? 'user' : kind,
    isLocal,
    isSpeaking,
    isMuted: !isMicrophoneEnabled,
    agentState: attributes[AGENT_STATE_ATTRIBUTE] ?? null,
  };
}
