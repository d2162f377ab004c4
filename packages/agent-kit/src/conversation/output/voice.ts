/**
 * Speaks the answers of an agent. An agent without a voice only writes.
 *
 * The words of an answer go to the voice, and the voice hands them to the room's text stream as people hear them. So an
 * interrupted answer contains, in the room and in the history, what was heard of it.
 */
export interface Voice {
  /**
   * Begins to speak an answer, or a notice. `heard` takes the words as people hear them: each once, in order, one call at a
   * time. A voice that nobody listens to calls it at once. `heard` throws when the room is gone.
   */
  readonly begin: (heard: (words: string) => Promise<void>) => Speech;
}

export interface Speech {
  /** May resolve before the words are heard. */
  readonly write: (words: string) => Promise<void>;
  /** Called after the last `write`. Resolves when everything is heard, or the speech was stopped. Throws like `heard`. */
  readonly end: () => Promise<void>;
  /** Makes the voice fall silent at once. After it resolved, `heard` gets no more words. May be called at any time. */
  readonly stop: () => Promise<void>;
}

export const WRITING: Voice = {
  begin: (heard) => ({ write: heard, end: async () => {}, stop: async () => {} }),
};
