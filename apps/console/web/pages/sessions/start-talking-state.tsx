import { Play } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
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
          <ErrorNotice error={error} />
        </>
      }
    >
      {children}
    </EmptyState>
  );
}

const WORDS = [
  { y: 52, width: 148, isAgent: false },
  { y: 76, width: 264, isAgent: true },
  { y: 92, width: 196, isAgent: true },
  { y: 116, width: 104, isAgent: false },
] as const;

function DrawnConversation() {
  return (
    <svg aria-hidden="true" viewBox="0 0 480 128" className="block w-full max-w-120">
      <rect x="0" y="8" width="480" height="10" rx="5" className="fill-line" />
      <path d="M5 8h263v10H5a5 5 0 0 1 0-10z" className="fill-iris" />
      <rect x="268" y="8" width="3" height="10" className="fill-tally" />
      <circle cx="269.5" cy="13" r="9" className="animate-breathe fill-tally/20" />
      {WORDS.map(({ y, width, isAgent }) => (
        <g key={y}>
          <rect x="0" y={y} width="44" height="8" rx="4" className="fill-line" />
          {isAgent ? <rect x="60" y={y - 4} width="3" height="16" className="fill-iris" /> : null}
          <rect
            x="76"
            y={y}
            width={width}
            height="8"
            rx="4"
            className={isAgent ? 'fill-iris/30' : 'fill-ink/20'}
          />
        </g>
      ))}
    </svg>
  );
}
