/**
 * `off`: not requested. `asking`: the browser asks the person. `on`: open, and published while this client is in the room.
 * `muted`: like `on`, but sends silence. `denied`: the person or the browser refused. `absent`: there is no microphone.
 * `insecure`: the page comes from another machine without TLS, so the browser offers no microphone. `failed`: another program
 * may be using it.
 */
export type MicrophoneState =
  | 'off'
  | 'asking'
  | 'on'
  | 'muted'
  | 'denied'
  | 'absent'
  | 'insecure'
  | 'failed';

/** A microphone or a speaker. The label is empty until the person has allowed a microphone once. */
export interface AudioDevice {
  readonly id: string;
  readonly label: string;
}

export interface RoomParticipant {
  readonly identity: string;
  /** The same for all identities of one account, such as a person's two tabs. For anyone else, the identity. */
  readonly sender: string;
  readonly name: string;
  /**
   * `user`, `agent`, or LiveKit's name of another kind, such as `sip`; `unknown` if this version of LiveKit's SDK has no
   * name for it.
   */
  readonly kind: string;
  readonly isLocal: boolean;
  readonly isSpeaking: boolean;
  /** Also true without a microphone in the room. */
  readonly isMuted: boolean;
  /**
   * What an agent is doing, an open enumeration: `initializing`, `listening`, `thinking`, `speaking` … Null for a participant
   * that does not report it.
   */
  readonly agentState: string | null;
}

export interface BrowserRoomSnapshot {
  /** This client comes first, unless it observes. Excludes recorders. Empty while this client is outside the room. */
  readonly participants: readonly RoomParticipant[];
  readonly microphone: MicrophoneState;
  readonly microphones: readonly AudioDevice[];
  /** Empty if the browser cannot choose a speaker. */
  readonly speakers: readonly AudioDevice[];
  /** Null for the system's default. */
  readonly microphoneId: string | null;
  readonly speakerId: string | null;
  /** False while the browser blocks sound. Then call `playAudio` from a button. */
  readonly canPlayAudio: boolean;
  /**
   * Set when a device was unplugged and the default took its place. Null again after another device of that kind was chosen, or
   * after `dismissNotice`.
   */
  readonly notice: 'microphone_unplugged' | 'speaker_unplugged' | null;
}

export interface MicrophoneSwitches {
  /** Asks the person for the microphone, and publishes it in the room, now or when this client joins. */
  readonly enable: () => Promise<void>;
  /** Closes the microphone, so the browser shows it as unused. `mute` keeps it open and sends silence. */
  readonly disable: () => Promise<void>;
  readonly mute: () => Promise<void>;
  readonly unmute: () => Promise<void>;
}
