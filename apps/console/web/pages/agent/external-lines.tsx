import { connectionLines } from '@session/client/admin';
import type { Agent, AgentConnection } from '@session/contract';
import { useMutation } from '@tanstack/react-query';
import { useMe } from '../../service/me.ts';
import { useService } from '../../service/service.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { TextArea } from '../../ui/field.tsx';
import { EXTERNAL_ROLE } from '../session/agents/agent-body.ts';

interface ExternalLinesProps {
  readonly agent: Agent;
  readonly connect?: AgentConnection | null;
}

export function ExternalLines({ agent, connect = null }: ExternalLinesProps) {
  const { client } = useService();
  const me = useMe();
  const next = useMutation({ mutationFn: () => client.agents.createToken(agent.id) });
  // An agent with a reason has stopped, or is about to.
  if (agent.role !== EXTERNAL_ROLE || agent.reason !== null) return null;
  // Only the account that started an agent gets its tokens.
  if (me?.id !== agent.createdBy) return null;
  const shown = next.data ?? connect;
  const lines = shown && connectionLines(shown);
  return (
    <div className="grid gap-3">
      {lines ? (
        <div className="flex items-start gap-2">
          <TextArea
            label="Lines for .env"
            value={lines}
            readOnly
            rows={8}
            className="min-w-0 flex-1 font-mono"
            hint="Start your program with them within ten minutes. They are not shown again."
          />
          <CopyButton text={lines} label="Copy the lines" />
        </div>
      ) : null}
      <ErrorNotice error={next.error} />
      <Button
        size="small"
        isBusy={next.isPending}
        onClick={() => next.mutate()}
        className="justify-self-start"
      >
        {lines ? 'New token' : 'Lines for .env'}
      </Button>
    </div>
  );
}
