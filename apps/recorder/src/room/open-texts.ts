import type { TextStreamEvent } from '@session/contract/room';
import type { OpenText } from '@session/media';

type Text = Pick<
  OpenText,
  'beganAt' | 'identity' | 'isSenderKnown' | 'saveSoFar' | 'streamId' | 'unsavedSince'
>;

interface SavedText {
  readonly event: TextStreamEvent;
  readonly unsavedSince: number;
}

export class OpenTexts {
  readonly #texts = new Map<string, Text>();

  add(text: Text): void {
    this.#texts.set(textKey(text), text);
  }

  remove({ sender, streamId }: TextStreamEvent): number | undefined {
    const key = textKey({ identity: sender.identity, streamId });
    const unsavedSince = this.#texts.get(key)?.unsavedSince;
    this.#texts.delete(key);
    return unsavedSince;
  }

  has(before = Number.POSITIVE_INFINITY): boolean {
    return [...this.#texts.values()].some(({ beganAt }) => beganAt < before);
  }

  get unsavedSince(): number {
    const times = Array.from(this.#texts.values(), ({ unsavedSince = Infinity }) => unsavedSince);
    return Math.min(...times);
  }

  /**
   * Returns the text so far of each stream with unsaved words that were received up to `until`. Leaves out streams
   * without a known sender, whose rows could not be completed.
   */
  save(until: number): SavedText[] {
    return [...this.#texts.values()].flatMap((text) => {
      const { unsavedSince, isSenderKnown } = text;
      if (unsavedSince === undefined || unsavedSince > until || !isSenderKnown) return [];
      return { unsavedSince, event: text.saveSoFar() };
    });
  }
}

/** Returns the key of a text stream within a room: two senders may use the same stream id. */
export function textKey({ identity, streamId }: Pick<Text, 'identity' | 'streamId'>): string {
  return `${identity}/${streamId}`;
}
