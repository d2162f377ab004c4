import type { BrowserRoom } from '@session/client/browser';
import { useRoom } from '@session/client/react';
import { Mic, MicOff } from 'lucide-react';
import { IconButton } from '../../../ui/button.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { LevelRing } from './level-ring.tsx';
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
