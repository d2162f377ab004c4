import type { TapeRecording, TapeSpan } from './tape-geometry.ts';
import { TapeStrip } from './tape-strip.tsx';
import { tapeText } from './tape-texts.ts';

interface MiniTapeProps {
  readonly recording: TapeRecording;
  /** From the session's creation to its end, or to now. */
  readonly span: TapeSpan;
  /** Whether a recorder records right now. */
  readonly isLive: boolean;
}

/** A small tape for a row of a list. Its text says the same. */
export function MiniTape({ recording, span, isLive }: MiniTapeProps) {
  return (
    <span className="block w-full">
      <TapeStrip recording={recording} span={span} isLive={isLive} height={4} />
      <span className="sr-only">{tapeText(recording, span)}</span>
    </span>
  );
}
