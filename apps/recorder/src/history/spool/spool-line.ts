import type { QueuedMessage } from '../../message-path.ts';
import { parseQueued } from '../queued-message.ts';
import type { SizedMessage } from '../shed.ts';

const NEWLINE = 0x0a;

/** A line of a spool file. Its size is that of its bytes, the end of the line included. */
export interface SpoolLine extends SizedMessage {
  readonly text: string;
}

/** A line that holds a message, or a mark of lost messages. */
export interface ReadableLine extends SpoolLine {
  readonly queued: QueuedMessage;
}

/** Returns the line of JSON for a queued message. */
export function lineOf(queued: QueuedMessage): ReadableLine {
  const text = JSON.stringify(queued);
  return { queued, text, sizeBytes: Buffer.byteLength(text) + 1 };
}

/** Returns the first whole lines in `bytes`, up to `count`. What follows the last newline is not a line. */
export function linesIn(bytes: Buffer, count = Number.POSITIVE_INFINITY): SpoolLine[] {
  const lines: SpoolLine[] = [];
  let begin = 0;
  while (lines.length < count) {
    const end = bytes.indexOf(NEWLINE, begin);
    if (end < 0) break;
    const text = bytes.toString('utf8', begin, end);
    lines.push({ queued: parseQueued(text), text, sizeBytes: end + 1 - begin });
    begin = end + 1;
  }
  return lines;
}
