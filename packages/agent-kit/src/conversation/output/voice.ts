/**
 * Speaks answers. It hands the words to the room's text stream as people hear them, so an interrupted answer contains
 * what was heard.
 */
export interface Voice {
  /**
   * Begins to speak. `heard` takes the words as people hear them, in order, one call at a time; throws when the room is
   * gone. A voice without listeners calls it at once.
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
