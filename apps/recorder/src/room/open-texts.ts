import type { TextStreamEvent } from '@session/contract/room';
import type { OpenText } from '@session/media';

/** Of a stream that is being received: what the recorder needs. */
type Text = Pick<
  OpenText,
  'beganAt' | 'identity' | 'isSenderKnown' | 'saveSoFar' | 'streamId' | 'unsavedSince'
>;

/** What a text stream holds so far, and when the oldest word was received that was not saved before. */
interface SavedText {
  readonly event: TextStreamEvent;
  readonly unsavedSince: number;
}

/** The text streams that are open in a room. Times are milliseconds since the epoch. */
export class OpenTexts {
  readonly #texts = new Map<string, Text>();

  add(text: Text): void {
    this.#texts.set(textKey(text), text);
  }

  /** Removes the stream that is reported. Returns when its oldest word was received that was not saved before. */
  remove({ sender, streamId }: TextStreamEvent): number | undefined {
    const key = textKey({ identity: sender.identity, streamId });
    const unsavedSince = this.#texts.get(key)?.unsavedSince;
    this.#texts.delete(key);
    return unsavedSince;
  }

  /** Whether a stream is open that began before that time. */
  has(before = Number.POSITIVE_INFINITY): boolean {
    return [...this.#texts.values()].some(({ beganAt }) => beganAt < before);
  }

  /** When the oldest word was received that is not saved. Infinity: all are saved. */
  get unsavedSince(): number {
    const times = Array.from(this.#texts.values(), ({ unsavedSince = Infinity }) => unsavedSince);
    return Math.min(...times);
  }

  /**
   * Returns the text so far of each stream with words that were received at that time or before, and are not saved yet.
   * Without a known sender a row could not be completed later, so such a stream is left out.
   */
  save(until: number): SavedText[] {
    return [...this.#texts.values()].flatMap((text) => {
      const { unsavedSince, isSenderKnown } = text;
      if (unsavedSince === undefined || unsavedSince > until || !isSenderKnown) return [];
      return { unsavedSince, event: text.saveSoFar() };
    });
  }
}

/** Names a text stream among those of a room: two senders may use the same stream id. */
export function textKey({ identity, streamId }: Pick<Text, 'identity' | 'streamId'>): string {
  return `${identity}/${streamId}`;
}
