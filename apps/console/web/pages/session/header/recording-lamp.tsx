import type { Session } from '@session/contract';
import { Lamp } from '../../../ui/lamp.tsx';
import { recordingStatusOf } from '../../../ui/tape-span.ts';
import { Tooltip } from '../../../ui/tooltip.tsx';
import { recordingText } from '../recording-sentences.ts';

/** Whether the session is recorded right now: a lamp, a word, and on request a sentence. */
export function RecordingLamp({ session }: { readonly session: Session }) {
  return (
    <Tooltip text={recordingText(session)}>
      <button type="button" className="min-h-6 shrink-0 cursor-help rounded-control">
        <Lamp status={recordingStatusOf(session)} />
      </button>
    </Tooltip>
  );
}
