/** Shorter pieces wait for the next one: `Dr. ` is no sentence, and each request costs time. */
const MIN_LENGTH = 12;
/** A longer piece is spoken in parts, so that the first sound comes soon. */
const MAX_LENGTH = 240;

const SENTENCE_END = /[.!?…:;]["'”’)\]]*\s+|[。！？]+\s*|\n+/gu;

/** Splits a text that arrives in parts into sentences. Together they are the text, with every space of it. */
export class SentenceSplitter {
  #text = '';

  /** Takes the next words, and returns the sentences that are complete. */
  push(words: string): string[] {
    this.#text += words;
    const sentences: string[] = [];
    for (let end = this.#end(); end > 0; end = this.#end()) {
      sentences.push(this.#text.slice(0, end));
      this.#text = this.#text.slice(end);
    }
    return sentences;
  }

  /** Returns the rest. */
  end(): string {
    const rest = this.#text;
    this.#text = '';
    return rest;
  }

  /** Returns where the first sentence ends, or 0. White space belongs to the sentence before it, so more may follow. */
  #end(): number {
    for (const match of this.#text.matchAll(SENTENCE_END)) {
      const end = match.index + match[0].length;
      const isComplete = end < this.#text.length;
      if (!isComplete) break;
      if (end >= MIN_LENGTH && !isNumbering(this.#text.slice(0, match.index))) return end;
    }
    if (this.#text.length <= MAX_LENGTH) return 0;
    const space = this.#text.lastIndexOf(' ', MAX_LENGTH);
    return space > 0 ? space + 1 : MAX_LENGTH;
  }
}

/** Whether the text ends with a number, as in `2. Second`. */
function isNumbering(text: string): boolean {
  return /(?:^|\s)\d+$/.test(text);
}
