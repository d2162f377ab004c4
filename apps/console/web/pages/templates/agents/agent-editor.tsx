import { type AgentTemplate, isApiError } from '@session/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { History } from 'lucide-react';
import { useState } from 'react';
import { isMissing, useService } from '../../../service/service.ts';
import { Button } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Checkbox } from '../../../ui/field.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Page } from '../../../ui/page.tsx';
import { Section } from '../../../ui/section.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { toast } from '../../../ui/toast.tsx';
import { EditorFrame } from '../editor-frame.tsx';
import { agentTemplateQuery, refreshAgentTemplate } from '../template-queries.ts';
import { useUnsaved } from '../unsaved.tsx';
import { type AgentDraft, agentBody, agentDraftOf } from './agent-draft.ts';
import { AgentFields, type DraftProps } from './agent-fields.tsx';
import { AgentHandover } from './agent-handover.tsx';
import { AgentSuccessors } from './agent-successors.tsx';
import { AgentVariables } from './agent-variables.tsx';
import { McpServers } from './mcp-servers.tsx';
import { parametersFault } from './tool-draft.ts';
import { Tools } from './tools.tsx';
import { VersionsDialog } from './versions-dialog.tsx';

interface AgentEditorProps {
  readonly projectId: string;
  readonly id: string | null;
  readonly onClose: () => void;
}

export function AgentEditor({ projectId, id, onClose }: AgentEditorProps) {
  const { client } = useService();
  const query = useQuery({ ...agentTemplateQuery(client, id ?? ''), enabled: id !== null });
  const [read, setRead] = useState(0);
  const readAgain = async () => {
    await query.refetch();
    setRead(read + 1);
  };
  if (id === null || query.data) {
    const form = { projectId, template: query.data ?? null, onClose };
    return <AgentForm key={read} {...form} onReadAgain={() => void readAgain()} />;
  }
  return (
    <Page>
      <h1 className="sr-only">Agent template</h1>
      {isMissing(query.error) ? (
        <EmptyState
          title="This template is gone."
          action={<Button onClick={onClose}>Templates</Button>}
        >
          Somebody has deleted it.
        </EmptyState>
      ) : (
        <Loaded query={query} label="The template" skeleton={<Skeleton className="h-60 w-full" />}>
          {() => null}
        </Loaded>
      )}
    </Page>
  );
}

interface AgentFormProps {
  readonly projectId: string;
  readonly template: AgentTemplate | null;
  readonly onClose: () => void;
  readonly onReadAgain: () => void;
}

function AgentForm({ projectId, template, onClose, onReadAgain }: AgentFormProps) {
  // What is read again meanwhile must not change the version that the form is based on.
  const [stored] = useState(template);
  const [initial] = useState(() => agentDraftOf(template));
  const [draft, setDraft] = useState(initial);
  const [isShowingVersions, setShowingVersions] = useState(false);
  const { mutate, isPending, error, isSuccess } = useSave(projectId, stored, onClose);
  const isDirty = !isSuccess && draft !== initial;
  const { leave, question } = useUnsaved(isDirty, onClose);
  const hasFault = draft.tools.some((tool) => parametersFault(tool) !== null);
  const isLate = isApiError(error, 'changed_meanwhile');
  const change = (part: Partial<AgentDraft>) => setDraft((all) => ({ ...all, ...part }));
  const versions = (
    <Button
      size="small"
      icon={<History aria-hidden size={14} />}
      onClick={() => setShowingVersions(true)}
    >
      Versions
    </Button>
  );
  return (
    <>
      <EditorFrame
        title={stored ? stored.name : 'New agent'}
        error={isLate ? null : error}
        isDirty={isDirty && !hasFault}
        isBusy={isPending}
        onLeave={leave}
        onSave={() => mutate(draft)}
        actions={stored ? versions : undefined}
      >
        <AgentFields draft={draft} onChange={change} error={error} />
        <AgentVariables draft={draft} onChange={change} error={error} />
        <Tools draft={draft} stored={stored} onChange={change} error={error} />
        <McpServers draft={draft} onChange={change} error={error} />
        <AgentEnding draft={draft} onChange={change} />
        <AgentHandover draft={draft} onChange={change} error={error} />
        <AgentSuccessors
          {...{ draft, projectId, error }}
          ownId={stored?.id ?? null}
          onChange={change}
        />
        {isLate ? <ChangedMeanwhile onReadAgain={onReadAgain} /> : null}
      </EditorFrame>
      {stored ? (
        <VersionsDialog
          isOpen={isShowingVersions}
          onClose={() => setShowingVersions(false)}
          template={stored}
          isDirty={isDirty}
          onRestored={onClose}
        />
      ) : null}
      {question}
    </>
  );
}

function ChangedMeanwhile({ onReadAgain }: Pick<AgentFormProps, 'onReadAgain'>) {
  return (
    <div
      role="alert"
      className="grid justify-items-start gap-2 rounded-card border border-gap/40 bg-gap-soft p-4 text-control"
    >
      <p className="font-strong text-ink">Somebody has changed this template meanwhile.</p>
      <p className="text-ink-2">
        Nothing of yours was saved. Copy what you need, then open the template as it is now.
      </p>
      <Button size="small" onClick={onReadAgain}>
        Discard my changes and reopen
      </Button>
    </div>
  );
}

function useSave(projectId: string, stored: AgentTemplate | null, onSaved: () => void) {
  const { client } = useService();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (draft: AgentDraft) => {
      const body = agentBody(draft, stored);
      return stored
        ? await client.agentTemplates.change(stored.id, { ...body, version: stored.version })
        : await client.agentTemplates.create(projectId, body);
    },
    onSuccess: async ({ id, name, version }) => {
      await refreshAgentTemplate(queries, projectId, id);
      toast(`“${name}” is saved as version ${version}. Agents get it at their next start.`);
      onSaved();
    },
  });
}

function AgentEnding({ draft, onChange }: Omit<DraftProps, 'error'>) {
  const { endsConversation, closesSession } = draft;
  return (
    <Section id="agent-ending" title="End of the conversation">
      <Checkbox
        label="The agent may end the conversation: it says goodbye and leaves."
        checked={endsConversation}
        onChange={({ target: { checked } }) => onChange({ endsConversation: checked })}
      />
      {endsConversation ? (
        <Checkbox
          label="Then close the session, for good."
          checked={closesSession}
          onChange={({ target: { checked } }) => onChange({ closesSession: checked })}
        />
      ) : null}
    </Section>
  );
}
