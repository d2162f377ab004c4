import { useId } from 'react';
import { type Segment, segmentsOf, type TapeRecording, type TapeSpan } from './tape-geometry.ts';

interface TapeStripProps {
  readonly recording: TapeRecording;
  readonly span: TapeSpan;
  readonly isLive: boolean;
  readonly height: number;
}

const percent = (share: number) => `${share * 100}%`;

/** The drawing of a tape: what is recorded, the gaps, and the live edge. Its parent provides the text. */
export function TapeStrip({ recording, span, isLive, height }: TapeStripProps) {
  const hatch = useId();
  return (
    <svg aria-hidden="true" className="block w-full overflow-hidden rounded-full" height={height}>
      <defs>
        <GapPattern id={hatch} />
      </defs>
      <rect width="100%" height={height} className="fill-line" />
      {segmentsOf(recording, span).map((segment) => (
        <Part key={`${segment.kind} ${segment.from}`} segment={segment} hatch={hatch} />
      ))}
      {isLive && (
        <rect
          x="100%"
          width="4"
          height={height}
          transform="translate(-4 0)"
          className="fill-tally"
        />
      )}
    </svg>
  );
}

function Part({ segment, hatch }: { readonly segment: Segment; readonly hatch: string }) {
  const place = { x: percent(segment.start), width: percent(segment.size), height: '100%' };
  if (segment.kind === 'recorded') return <rect {...place} className="fill-iris" />;
  return <rect {...place} fill={`url(#${hatch})`} />;
}

export function GapPattern({ id }: { readonly id: string }) {
  return (
    <pattern
      id={id}
      width="6"
      height="6"
      patternUnits="userSpaceOnUse"
      patternTransform="rotate(45)"
    >
      <rect width="6" height="6" className="fill-gap-soft" />
      <rect width="2.5" height="6" className="fill-gap" />
    </pattern>
  );
}
