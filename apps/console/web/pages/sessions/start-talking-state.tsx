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
  readonly projectId?: string;
  readonly children: ReactNode;
}

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
