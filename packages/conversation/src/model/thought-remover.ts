const OPENING = /<think(?:ing)?>/i;
const CLOSING = /<\/think(?:ing)?>/i;
const BEGUN_TAG = /<(?:\/?(?:t(?:h(?:i(?:n(?:k(?:i(?:n(?:g)?)?)?)?)?)?)?)?)?$/i;

/** Removes `<think>…</think>`, which some endpoints leave in an answer, from a text that comes in parts. */
export class ThoughtRemover {
  #isThinking = false;
  #held = '';

  push(text: string): string {
    this.#held += text;
    let shown = '';
    for (;;) {
      const tag = (this.#isThinking ? CLOSING : OPENING).exec(this.#held);
      if (!tag) break;
      if (!this.#isThinking) shown += this.#held.slice(0, tag.index);
      this.#held = this.#held.slice(tag.index + tag[0].length);
      this.#isThinking = !this.#isThinking;
    }
    const begun = BEGUN_TAG.exec(this.#held)?.index ?? this.#held.length;
    if (!this.#isThinking) shown += this.#held.slice(0, begun);
    this.#held = this.#held.slice(begun);
    return shown.replaceAll(new RegExp(CLOSING, 'gi'), '');
  }

  finish(): string {
    const rest = this.#isThinking ? '' : this.#held;
    this.#held = '';
    return rest;
  }
}
