import type { QueuedMessage } from '../../message-path.ts';
import { parseQueued } from '../queued-message.ts';
import type { SizedMessage } from '../shed.ts';

const NEWLINE = 0x0a;

export interface SpoolLine extends SizedMessage {
  readonly text: string;
}

export interface ReadableLine extends SpoolLine {
  readonly queued: QueuedMessage;
}

export function lineOf(queued: QueuedMessage): ReadableLine {
  const text = JSON.stringify(queued);
  return { queued, text, sizeBytes: Buffer.byteLength(text) + 1 };
}

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
