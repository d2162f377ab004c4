import type { BrowserRoom } from '@session/client/browser';
import { useRoom } from '@session/client/react';
import { Mic, MicOff } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { IconButton } from '../../../ui/button.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { microphoneLabel } from './microphone-texts.ts';
import { toggleMicrophone } from './microphone-toggle.ts';

export function MicrophoneButton({ room }: { readonly room: BrowserRoom }) {
  const { microphone, participants } = useRoom(room);
  const isOn = microphone === 'on';
  const self = participants.find(({ isLocal }) => isLocal);
  const Icon = isOn || microphone === 'off' || microphone === 'asking' ? Mic : MicOff;
  return (
    <span className="relative inline-flex">
      {isOn && self && <LevelRing room={room} identity={self.identity} />}
      <IconButton
        label={microphoneLabel(microphone)}
        shortcut="M"
        isPressed={isOn}
        onClick={() => void toggleMicrophone(room)}
        className={classNames(
          'relative size-9 rounded-full',
          isOn && 'bg-iris text-on-iris hover:bg-iris/90 hover:text-on-iris',
          microphone === 'asking' && 'animate-breathe',
        )}
      >
        <Icon aria-hidden size={18} />
      </IconButton>
    </span>
  );
}

interface LevelRingProps {
  readonly room: BrowserRoom;
  readonly identity: string;
}

/** How far the ring falls in one frame, as a share of the way to the new level. It rises at once. */
const FALL = 0.15;
const RADIUS = 18;
const MAX_WIDTH = 7;

/** Sets the width of the ring without React, which would render 60 times a second. */
function LevelRing({ room, identity }: LevelRingProps) {
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
