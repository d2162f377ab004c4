import type { BrowserRoom } from '@session/client/browser';
import { useRoom } from '@session/client/react';
import { MicOff, Volume2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../../../ui/button.tsx';
import { microphoneProblem } from './microphone-texts.ts';

const UNPLUGGED = {
  microphone_unplugged: 'The microphone was unplugged. The system’s default one is used now.',
  speaker_unplugged: 'The speaker was unplugged. The system’s default one is used now.',
} as const;

export function VoiceNotices({ room }: { readonly room: BrowserRoom }) {
  const { microphone, canPlayAudio, notice } = useRoom(room);
  const problem = microphoneProblem(microphone);
  return (
    <>
      {!canPlayAudio && (
        <Notice icon={<Volume2 size={16} />} text="The browser holds the sound back.">
          <Button size="small" onClick={() => void room.playAudio()}>
            Play sound
          </Button>
        </Notice>
      )}
      {notice && (
        <Notice icon={<MicOff size={16} />} text={UNPLUGGED[notice]}>
          <Button size="small" variant="quiet" onClick={() => room.dismissNotice()}>
            Dismiss
          </Button>
        </Notice>
      )}
      {problem && (
        <Notice icon={<MicOff size={16} />} text={problem}>
          {microphone !== 'insecure' && (
            <Button size="small" onClick={() => void room.microphone.enable()}>
              Try again
            </Button>
          )}
        </Notice>
      )}
    </>
  );
}

interface NoticeProps {
  readonly icon: ReactNode;
  readonly text: string;
  readonly children: ReactNode;
}

function Notice({ icon, text, children }: NoticeProps) {
  return (
    <div
      aria-live="polite"
      className="mb-2 flex flex-wrap items-center gap-x-3 gap-y-2 rounded-card bg-gap-soft px-3 py-2 text-control"
    >
      <span aria-hidden className="text-gap">
        {icon}
      </span>
      <p className="min-w-40 flex-1">{text}</p>
      {children}
    </div>
  );
}
