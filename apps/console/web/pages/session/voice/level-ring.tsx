import type { BrowserRoom } from '@session/client/browser';
import { useEffect, useRef } from 'react';

interface LevelRingProps {
  readonly room: BrowserRoom;
  readonly identity: string;
}

/** How much of the way to the new level the ring goes in one frame: it rises at once, and falls softly. */
const FALL = 0.15;
const RADIUS = 18;
const MAX_WIDTH = 7;

/** A ring around the microphone's button that grows with the voice. It is drawn without rendering: 60 times a second. */
export function LevelRing({ room, identity }: LevelRingProps) {
  const circle = useRef<SVGCircleElement>(null);
  useEffect(() => {
    let shown = 0;
    let frame = 0;
    const draw = () => {
      const level = Math.min(Math.sqrt(room.level(identity)) * 1.4, 1);
      shown = level > shown ? level : shown + (level - shown) * FALL;
      circle.current?.setAttribute('stroke-width', String(shown * MAX_WIDTH));
      frame = requestAnimationFrame(draw);
    };
    draw();
    return () => cancelAnimationFrame(frame);
  }, [room, identity]);
  return (
    <svg
      aria-hidden="true"
      viewBox="-28 -28 56 56"
      className="pointer-events-none absolute -inset-2.5 size-14 text-iris"
    >
      <circle ref={circle} r={RADIUS + 2} fill="none" stroke="currentColor" strokeOpacity="0.35" />
    </svg>
  );
}
