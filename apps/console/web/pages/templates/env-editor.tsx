import type { EnvTemplate } from '@session/contract';
import { useQuery } from '@tanstack/react-query';
import { ClipboardPaste, Plus } from 'lucide-react';
import { useState } from 'react';
import { onlyIf } from '../../service/queries.ts';
import { useService } from '../../service/service.ts';
import { Button } from '../../ui/button.tsx';
import { CardList } from '../../ui/card-list.tsx';
import { errorBelow, fieldError } from '../../ui/failure.ts';
import { Checkbox, TextField } from '../../ui/field.tsx';
import { agentTypesQuery } from '../agent/agent-queries.ts';
import { EditorFrame } from './editor-frame.tsx';
import {
  changeOf,
  type EnvDraft,
  envDraftOf,
  newHosts,
  newVariables,
  rowFault,
  withChange,
  withoutRow,
  withPasted,
  withRow,
} from './env-draft.ts';
import { PasteDialog } from './paste-dialog.tsx';
import { StoredTemplate } from './stored-template.tsx';
import { envTemplateQuery } from './template-queries.ts';
import { useUnsaved } from './unsaved.tsx';
import { useSaveTemplate } from './use-save-template.ts';
import { knownVariables, REQUIRED_VARIABLES } from './variable-catalogue.ts';
import { VariableRowEditor } from './variable-row.tsx';

interface EnvEditorProps {
  readonly projectId: string;
  readonly id: string | null;
  readonly onClose: () => void;
}

export function EnvEditor({ projectId, id, onClose }: EnvEditorProps) {
  const { client } = useService();
  const query = useQuery({ ...envTemplateQuery(client, id ?? ''), ...onlyIf(id !== null) });
  return (
    <StoredTemplate title="Environment" isNew={id === null} query={query} onClose={onClose}>
      {(template, onReadAgain) => <EnvForm {...{ projectId, template, onClose, onReadAgain }} />}
    </StoredTemplate>
  );
}

interface EnvFormProps {
  readonly projectId: string;
  readonly template: EnvTemplate | null;
  readonly onClose: () => void;
  readonly onReadAgain: () => void;
}

function EnvForm({ projectId, template, onClose, onReadAgain }: EnvFormProps) {
  const [stored] = useState(template);
  const [initial] = useState(() => envDraftOf(template, REQUIRED_VARIABLES));
  const [draft, setDraft] = useState(initial);
  const { mutate, isPending, error, isSuccess } = useSave(projectId, stored);
  const isDirty = !isSuccess && (stored ? changeOf(draft, stored) !== null : draft !== initial);
  const { leave, question } = useUnsaved(isDirty, onClose);
  const [isPasting, setPasting] = useState(false);
  const hasFault = draft.rows.some((row) => rowFault(row, draft.rows) !== null);
  return (
    <>
      <EditorFrame
        title={stored ? stored.name : 'New environment'}
        error={error}
        isDirty={isDirty && !hasFault}
        isBusy={isPending}
        onLeave={leave}
        onSave={() => mutate(draft, { onSuccess: onClose })}
        onReadAgain={onReadAgain}
      >
        <div className="grid items-end gap-4 sm:grid-cols-2">
          <TextField
            label="Name"
            value={draft.name}
            onChange={({ target: { value } }) => setDraft({ ...draft, name: value })}
            required
            maxLength={100}
            error={fieldError(error, 'name')}
          />
          <Checkbox
            label="The project’s default"
            hint="Agents that name no environment get this one."
            checked={draft.isDefault}
            onChange={({ target: { checked } }) => setDraft({ ...draft, isDefault: checked })}
          />
        </div>
        <Variables
          draft={draft}
          onChange={setDraft}
          onPaste={() => setPasting(true)}
          error={error}
        />
      </EditorFrame>
      <PasteDialog
        isOpen={isPasting}
        onClose={() => setPasting(false)}
        onPaste={(variables) => setDraft(withPasted(draft, variables))}
      />
      {question}
    </>
  );
}

interface VariablesProps {
  readonly draft: EnvDraft;
  readonly onChange: (draft: EnvDraft) => void;
  readonly onPaste: () => void;
  readonly error: Error | null;
}

function Variables({ draft, onChange, onPaste, error }: VariablesProps) {
  const { client } = useService();
  const { data: types = [] } = useQuery(agentTypesQuery(client));
  const known = knownVariables(types);
  const free = [...known.values()].filter(
    ({ name }) => !draft.rows.some((row) => row.name === name),
  );
  return (
    <section aria-labelledby="variables" className="grid gap-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 id="variables" className="font-strong text-body">
          Variables
        </h2>
        <Button size="small" icon={<ClipboardPaste aria-hidden size={14} />} onClick={onPaste}>
          Paste a .env file
        </Button>
      </div>
      <datalist id="known-variables">
        {free.map(({ name }) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </datalist>
      <CardList>
        {draft.rows.map((row) => (
          <VariableRowEditor
            key={row.key}
            row={row}
            variable={known.get(row.name)}
            fault={
              rowFault(row, draft.rows) ??
              fieldError(error, `variables.${row.name}`) ??
              errorBelow(error, `hosts.${row.name}`)
            }
            onChange={(change) => onChange(withChange(draft, row.key, change))}
            onRemove={() => onChange(withoutRow(draft, row.key))}
          />
        ))}
      </CardList>
      <div>
        <Button
          size="small"
          icon={<Plus aria-hidden size={14} />}
          onClick={() => onChange(withRow(draft))}
        >
          Add a variable
        </Button>
      </div>
    </section>
  );
}

function useSave(projectId: string, stored: EnvTemplate | null) {
  const { envTemplates } = useService().client;
  const save = (draft: EnvDraft) => {
    if (stored) {
      const change = changeOf(draft, stored) ?? {};
      return envTemplates.change(stored.id, change, { version: stored.version });
    }
    const { isDefault } = draft;
    const hosts = newHosts(draft);
    return envTemplates.create(projectId, {
      name: draft.name.trim(),
      isDefault,
      variables: newVariables(draft),
      ...(Object.keys(hosts).length > 0 && { hosts }),
    });
  };
  return useSaveTemplate('env', save, sentenceOf);
}

function sentenceOf({ name }: EnvTemplate): string {
  return `“${name}” is saved. Agents get it at their next start.`;
}
