import { type FoldedState, foldState } from '@session/contract/room';
import { PAGE_BYTES, type StateMessageRow } from '@session/db';

export function foldedState(messages: readonly StateMessageRow[]): FoldedState {
  return foldState(newestWithin(messages, PAGE_BYTES).toReversed().map(foldable));
}

function foldable({ metadata, ...row }: StateMessageRow) {
  return { ...row, metadata: JSON.parse(metadata ?? 'null') };
}

/**
 * Returns the first of `rows` whose JSON fits into `maxBytes`. Escapes may make the JSON longer than the stored rows.
 */
function newestWithin(rows: readonly StateMessageRow[], maxBytes: number): StateMessageRow[] {
  let bytes = 0;
  return rows.filter(({ content, metadata }) => {
    bytes += Buffer.byteLength(JSON.stringify(content)) + Buffer.byteLength(metadata ?? '');
    return bytes <= maxBytes;
  });
}
