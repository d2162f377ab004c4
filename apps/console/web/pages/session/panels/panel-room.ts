/** A participant of the room, as far as the panels show it. */
export interface PanelParticipant {
  readonly identity: string;
  readonly name: string;
  /** An open enumeration: an unknown kind is shown by its name. */
  readonly kind: string;
  readonly isLocal: boolean;
  readonly isSpeaking: boolean;
  readonly isMuted: boolean;
  /** What an agent does now, by its attribute `lk.agent.state`: an open enumeration. */
  readonly agentState: string | null;
}

/** The part of the browser's room that the panels read. */
export interface PanelRoom {
  readonly subscribe: (listener: () => void) => () => void;
  readonly getSnapshot: () => { readonly participants: readonly PanelParticipant[] };
}
