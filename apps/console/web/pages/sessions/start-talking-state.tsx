import { Play } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { DrawnConversation } from '../../ui/drawn-conversation.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { useSubmit } from '../../ui/use-submit.ts';
import { useStartTalking } from './use-start-talking.ts';

interface StartTalkingStateProps {
  readonly title: string;
  /** Where the conversation is made; in the user's first project when it is not given. */
  readonly projectId?: string;
  readonly children: ReactNode;
}

/** What stands where there is no conversation yet: one button makes the first one. */
export function StartTalkingState({ title, projectId, children }: StartTalkingStateProps) {
  const start = useStartTalking();
  const { isBusy, error, submit } = useSubmit();
  return (
    <EmptyState
      title={title}
      drawing={<DrawnConversation />}
      action={
        <>
          <Button
            variant="primary"
            size="large"
            isBusy={isBusy}
            icon={<Play aria-hidden size={18} fill="currentColor" />}
            onClick={() => submit(async () => await start(projectId))}
          >
            Start talking
          </Button>
          {error ? <ErrorNotice error={error} /> : null}
        </>
      }
    >
      {children}
    </EmptyState>
  );
}
