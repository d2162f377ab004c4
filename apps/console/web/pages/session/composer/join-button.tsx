import type { Conversation } from '@session/client';
import { useTimeline } from '@session/client/react';
import { Button } from '../../../ui/button.tsx';

interface JoinButtonProps {
  readonly conversation: Conversation;
  readonly onJoined: () => void;
}

/** Shows a user who only looks the way to take part without a word. */
export function JoinButton({ conversation, onJoined }: JoinButtonProps) {
  const { mode } = useTimeline(conversation);
  if (mode !== 'history') return null;
  const join = () => {
    conversation.setMode('join');
    onJoined();
  };
  return (
    <Button className="rounded-full" onClick={join}>
      Join
    </Button>
  );
}
