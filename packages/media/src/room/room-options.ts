import { ContinualGatheringPolicy, IceTransportType, type RoomOptions } from '@livekit/rtc-node';

const MAX_STREAM_BYTES = 1_048_576;

/**
 * Returns the options for a room. Without a subscription no media is received. One round of candidates without STUN takes 3 to
 * 26 file descriptors for each room instead of 51 to 73. A text stream breaks at 1 MiB instead of 5 GB.
 *
 * The SDK's default is one connection for both directions, whose offer is sent with the join. If a track is published or wanted
 * before the answer, as after a restart of the server, rtc-node 1.1.0 waits for itself forever: the participant is deaf or
 * mute, and its room counts as connected. This happened in 3 of some 60 restarts on a busy machine. With one connection for
 * each direction it happened in none of 61. That takes 7 file descriptors instead of 3, and 16 ms of CPU time for each room
 * instead of 37. A participant that only listens opens no connection for sending.
 */
export function roomOptions(): RoomOptions & { readonly singlePeerConnection: boolean } {
  return {
    autoSubscribe: false,
    dynacast: false,
    // The SDK's types lack this option, but the SDK passes it on.
    singlePeerConnection: false,
    rtcConfig: {
      iceServers: [],
      iceTransportType: IceTransportType.TRANSPORT_ALL,
      continualGatheringPolicy: ContinualGatheringPolicy.GATHER_ONCE,
    },
    dataStream: { maxPayloadByteLength: MAX_STREAM_BYTES },
  };
}
