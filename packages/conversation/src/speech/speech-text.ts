import { readInline } from './inline-marks.ts';
import { isFence, isSilentLine, tableRow } from './line-marks.ts';

const LINE_MARK = /^[ \t]*(`{3,}|~{3,}|\||\[[^\]\n]*\]:|#{1,6}[ \t]|[-+*][ \t]|\d{1,3}[.)][ \t])/;
const UNDECIDED = /^[ \t]*(`{1,2}|~{1,2}|#{0,6}|[-+*]|\d{0,3}[.)]?|\[[^\]\n]{0,200}\]?)$/;
const PAUSE = /[.,:;!?…。，：；！？]$/;

/**
 * Turns written text into text to speak, as it streams. LiveKit's filters `filter_markdown` and `filter_emoji` run
 * afterwards, and do the rest. Links are spoken by their title, bare URLs by their host, tables row by row. Code blocks
 * and HTML tags are silent. A heading and an item of a list end with a full stop, because text after a newline is read
 * as the same sentence.
 *
 * Undecided text is held back, so the result does not depend on how the text was cut into parts.
 */
export class SpeechText {
  #text = '';
  #isLineStart = true;
  #isOwnSentence = false;
  #fence = '';
  #hasWords = false;
  #last = '';

  push(part: string): string {
    this.#text += part;
    return this.#read(false);
  }

  end(): string {
    const rest = this.#read(true);
    return rest + this.#fullStop();
  }

  #read(isEnd: boolean): string {
    let spoken = '';
    for (;;) {
      const next = this.#isLineStart ? this.#beginLine(isEnd) : this.#goOn(isEnd);
      if (next === undefined) return spoken;
      spoken += next;
    }
  }

  #beginLine(isEnd: boolean): string | undefined {
    const lineEnd = this.#text.indexOf('\n');
    const isWhole = isEnd || lineEnd !== -1;
    if (this.#text === '' || (!isWhole && UNDECIDED.test(this.#text))) return undefined;
    const mark = LINE_MARK.exec(this.#text)?.[1] ?? '';
    if (this.#fence || /^[`~|[]/.test(mark)) {
      if (!isWhole) return undefined;
      const line = lineEnd === -1 ? this.#text : this.#text.slice(0, lineEnd + 1);
      const spoken = this.#wholeLine(line);
      if (spoken !== undefined) {
        this.#text = this.#text.slice(line.length);
        return spoken;
      }
    }
    this.#isLineStart = false;
    this.#isOwnSentence = mark !== '' && mark !== '|';
    return '';
  }

  #wholeLine(line: string): string | undefined {
    if (this.#fence) {
      if (isFence(line, this.#fence)) this.#fence = '';
      return '';
    }
    const fence = /^[ \t]*(`{3,}|~{3,})/.exec(line)?.[1];
    // A line of backticks that also closes them is inline code, not a block.
    if (fence && !line.replace(fence, '').includes('`')) {
      this.#fence = fence;
      return '';
    }
    if (isSilentLine(line)) return '';
    const row = tableRow(line);
    return row === undefined ? undefined : new SpeechText().push(`${row}\n`);
  }

  #goOn(isEnd: boolean): string | undefined {
    if (this.#text === '') return undefined;
    if (this.#text.startsWith('\n')) {
      const spoken = `${this.#fullStop()}\n`;
      this.#text = this.#text.slice(1);
      this.#isLineStart = true;
      return spoken;
    }
    const piece = readInline(this.#text, isEnd);
    if (!piece) return undefined;
    this.#text = this.#text.slice(piece.length);
    this.#last = piece.spoken.trimEnd().at(-1) ?? this.#last;
    this.#hasWords ||= /[\p{L}\p{N}]/u.test(piece.spoken);
    return piece.spoken;
  }

  #fullStop(): string {
    const isLacking = this.#isOwnSentence && this.#hasWords && !PAUSE.test(this.#last);
    this.#isOwnSentence = false;
    this.#hasWords = false;
    this.#last = '';
    return isLacking ? '.' : '';
  }
}
