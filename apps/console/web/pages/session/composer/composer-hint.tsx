import type { Conversation } from '@session/client';
import { useTimeline } from '@session/client/react';

interface ComposerHintProps {
  readonly id: string;
  readonly conversation: Conversation;
  readonly problem: string | undefined;
}

/** The line below the field. It keeps its height, so that nothing moves when the user joins. */
export function ComposerHint({ id, conversation, problem }: ComposerHintProps) {
  const { mode } = useTimeline(conversation);
  const hint =
    mode === 'history'
      ? 'You are looking: nobody in the room sees you. The first words join.'
      : 'Enter sends, Shift and Enter begins a line';
  return (
    <p id={id} className="px-3 pt-1 text-label">
      {problem ? (
        <span role="alert" className="text-gap">
          {problem}
        </span>
      ) : (
        <span className="hidden text-ink-3 sm:inline">{hint}</span>
      )}
    </p>
  );
}
