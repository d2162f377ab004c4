/** Shorter pieces wait for the next one, because `Dr. ` is not a sentence and each request costs time. */
const MIN_LENGTH = 12;
const MAX_LENGTH = 240;

const SENTENCE_END = /[.!?…:;]["'”’)\]]*\s+|[。！？]+\s*|\n+/gu;

export class SentenceSplitter {
  #text = '';

  push(words: string): string[] {
    this.#text += words;
    const sentences: string[] = [];
    for (let end = this.#end(); end > 0; end = this.#end()) {
      sentences.push(this.#text.slice(0, end));
      this.#text = this.#text.slice(end);
    }
    return sentences;
  }

  end(): string {
    const rest = this.#text;
    this.#text = '';
    return rest;
  }

  /**
   * Returns the length of the first complete sentence, or 0. White space belongs to the sentence before it, so a sentence is
   * complete once other text follows.
   */
  #end(): number {
    for (const match of this.#text.matchAll(SENTENCE_END)) {
      const end = match.index + match[0].length;
      // A line break ends a sentence at once, for example before an agent looks something up.
      const isComplete = end < this.#text.length || this.#text.endsWith('\n');
      if (!isComplete) break;
      if (end >= MIN_LENGTH && !isNumbering(this.#text.slice(0, match.index))) return end;
    }
    if (this.#text.length <= MAX_LENGTH) return 0;
    const space = this.#text.lastIndexOf(' ', MAX_LENGTH);
    if (space > 0) return space + 1;
    return isHighSurrogate(this.#text.charCodeAt(MAX_LENGTH - 1)) ? MAX_LENGTH - 1 : MAX_LENGTH;
  }
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function isNumbering(text: string): boolean {
  return /(?:^|\s)\d+$/.test(text);
}
