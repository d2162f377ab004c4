import type { AgentTemplate } from '@session/client';
import { useQuery } from '@tanstack/react-query';
import { History } from 'lucide-react';
import { useState } from 'react';
import { onlyIf } from '../../../service/queries.ts';
import { useService } from '../../../service/service.ts';
import { Button } from '../../../ui/button.tsx';
import { Checkbox } from '../../../ui/field.tsx';
import { Section } from '../../../ui/section.tsx';
import { EditorFrame } from '../editor-frame.tsx';
import { StoredTemplate } from '../stored-template.tsx';
import { agentTemplateQuery } from '../template-queries.ts';
import { useUnsaved } from '../unsaved.tsx';
import { useSaveTemplate } from '../use-save-template.ts';
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
  const query = useQuery({ ...agentTemplateQuery(client, id ?? ''), ...onlyIf(id !== null) });
  return (
    <StoredTemplate title="Agent template" isNew={id === null} query={query} onClose={onClose}>
      {(template, onReadAgain) => <AgentForm {...{ projectId, template, onClose, onReadAgain }} />}
    </StoredTemplate>
  );
}

interface AgentFormProps {
  readonly projectId: string;
  readonly template: AgentTemplate | null;
  readonly onClose: () => void;
  readonly onReadAgain: () => void;
}

function AgentForm({ projectId, template, onClose, onReadAgain }: AgentFormProps) {
  // A later read must not change the version on which the form is based.
  const [stored] = useState(template);
  const [initial] = useState(() => agentDraftOf(template));
  const [draft, setDraft] = useState(initial);
  const [isShowingVersions, setShowingVersions] = useState(false);
  const { mutate, isPending, error, isSuccess } = useSave(projectId, stored);
  const isDirty = !isSuccess && draft !== initial;
  const { leave, question } = useUnsaved(isDirty, onClose);
  const hasFault = draft.tools.some((tool) => parametersFault(tool) !== null);
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
        error={error}
        isDirty={isDirty && !hasFault}
        isBusy={isPending}
        onLeave={leave}
        onSave={() => mutate(draft, { onSuccess: onClose })}
        onReadAgain={onReadAgain}
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

function useSave(projectId: string, stored: AgentTemplate | null) {
  const { agentTemplates } = useService().client;
  const save = (draft: AgentDraft) => {
    const body = agentBody(draft, stored);
    return stored
      ? agentTemplates.change(stored.id, { ...body, version: stored.version })
      : agentTemplates.create(projectId, body);
  };
  return useSaveTemplate('agent', save, sentenceOf);
}

function sentenceOf({ name, version }: AgentTemplate): string {
  return `“${name}” is saved as version ${version}. Agents get it at their next start.`;
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
