import { type MouseEvent, useState } from 'react';
import {
  gapAt,
  shareOf,
  type TapeGap,
  type TapeRecording,
  type TapeSpan,
  timeAt,
} from './tape-geometry.ts';
import { TapeStrip } from './tape-strip.tsx';
import { cursorText, gapsText, tapeText } from './tape-texts.ts';
import { momentText } from './time-text.ts';

interface TapeProps {
  readonly recording: TapeRecording;
  readonly span: TapeSpan;
  readonly isLive: boolean;
  readonly isOpen: boolean;
  readonly onGo: (time: string) => void;
  readonly onGap: (gap: TapeGap) => void;
}

const STEPS = 100;

export function Tape(props: TapeProps) {
  return (
    <div>
      <Strip {...props} />
      <Legend {...props} />
    </div>
  );
}

function Strip({ recording, span, isLive, onGo, onGap }: TapeProps) {
  const [cursor, setCursor] = useState<string | null>(null);
  const [isShown, setShown] = useState(false);
  const at = cursor ?? span.to;
  const show = (time: string) => {
    setCursor(time);
    setShown(true);
  };
  const go = (time: string) => {
    const gap = gapAt(recording.gaps, time);
    if (gap) onGap(gap);
    else onGo(time);
  };
  return (
    // The strip is 10 px high, and the area that takes the pointer 24 px.
    <div className="relative rounded-full py-[7px] outline-iris outline-offset-1 has-focus-visible:outline-2">
      <TapeStrip recording={recording} span={span} isLive={isLive} height={10} />
      {isShown && <Cursor share={shareOf(at, span)} text={cursorText(at, recording)} />}
      <input
        type="range"
        aria-label="Recording. Enter goes to the time."
        aria-valuetext={cursorText(at, recording)}
        min={0}
        max={STEPS}
        step="any"
        value={shareOf(at, span) * STEPS}
        className="absolute inset-0 w-full cursor-pointer opacity-0"
        onChange={({ currentTarget }) => show(timeAt(currentTarget.valueAsNumber / STEPS, span))}
        onPointerMove={(event) => show(pointedAt(event, span))}
        onPointerLeave={() => setShown(false)}
        onFocus={() => setShown(true)}
        onBlur={() => setShown(false)}
        onClick={(event) => go(pointedAt(event, span))}
        onKeyDown={({ key }) => {
          if (key === 'Enter') go(at);
        }}
      />
    </div>
  );
}

function pointedAt({ clientX, currentTarget }: MouseEvent<HTMLElement>, span: TapeSpan): string {
  const { left, width } = currentTarget.getBoundingClientRect();
  return timeAt((clientX - left) / width, span);
}

function Cursor({ share, text }: { readonly share: number; readonly text: string }) {
  const left = `${share * 100}%`;
  // The label stays inside the tape at both of its ends.
  const transform = `translateX(-${share * 100}%)`;
  return (
    <span aria-hidden="true" className="pointer-events-none">
      <span className="-ml-px absolute top-1 h-4 w-0.5 bg-ink" style={{ left }} />
      <span
        className="absolute top-6 z-10 whitespace-nowrap rounded-control bg-ink px-2 py-0.5 text-label text-paper tabular-nums shadow-float"
        style={{ left, transform }}
      >
        {text}
      </span>
    </span>
  );
}

function Legend({ recording, span, isOpen, onGap }: TapeProps) {
  const gaps = gapsText(recording.gaps);
  const last = recording.gaps.at(-1);
  return (
    <div className="flex items-center justify-between gap-4 font-mono text-ink-3 text-label tabular-nums">
      <span>{momentText(Date.parse(span.from))}</span>
      <span className="sr-only">{tapeText(recording, span)}</span>
      {gaps && last && (
        <button
          type="button"
          className="min-h-6 cursor-pointer rounded-control font-sans text-gap underline decoration-dotted underline-offset-2 hover:decoration-solid"
          onClick={() => onGap(last)}
        >
          {gaps}
        </button>
      )}
      <span>{isOpen ? 'now' : momentText(Date.parse(span.to))}</span>
    </div>
  );
}
