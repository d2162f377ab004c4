import { maskedForms } from './masked-forms.ts';
import { TextTable } from './text-table.ts';

export { MAX_LENGTH as MAX_PIECE_LENGTH } from './text-table.ts';

export const MASK = '••••';

/** A secret part of a text: from `start` up to `end`, without `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Mask {
  spansIn(text: string): Span[];
  /** Returns whether `text`, which ends with a line end, may end within a secret that continues in the next line. */
  endsWithin(text: string): boolean;
}

/**
 * Returns the mask for `values` and each of their lines: as they are, in JSON (also twice), in URLs and forms, and for
 * whole values in Base64. Any piece of a form longer than 32 characters may be masked. Forms shorter than four
 * characters are not masked, nor is the Base64 of fewer than five bytes.
 */
export async function createMask(values: readonly string[]): Promise<Mask> {
  const table = await TextTable.build(maskedForms(values));
  return {
    spansIn: (text) => spansIn(text, table),
    endsWithin: (text) => table.endsWithin(text),
  };
}

export const MASK_ALL: Mask = {
  spansIn: (text) => [{ start: 0, end: text.length }],
  endsWithin: () => false,
};

export function maskSpans(
  text: string,
  spans: readonly Span[],
  from = 0,
  to = text.length,
): string {
  let masked = '';
  let shown = from;
  for (const { start, end } of spans) {
    if (end <= from || start >= to) continue;
    masked += text.slice(shown, Math.max(start, from)) + MASK;
    shown = Math.min(end, to);
  }
  return masked + text.slice(shown, to);
}

function spansIn(text: string, table: TextTable): Span[] {
  const spans: Span[] = [];
  let [start, end] = [0, -1];
  for (let position = 0; position < text.length; position += 1) {
    const length = table.longestAt(text, position);
    if (length === 0) continue;
    if (position > end) {
      if (end > 0) spans.push({ start, end });
      start = position;
    }
    end = Math.max(end, position + length);
  }
  if (end > 0) spans.push({ start, end });
  return spans;
}
