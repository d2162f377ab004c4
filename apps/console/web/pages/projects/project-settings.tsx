import type { Project } from '@session/client';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useService } from '../../service/service.ts';
import { Dialog, type DialogState } from '../../ui/dialog.tsx';
import { fieldError, namesFields } from '../../ui/failure.ts';
import { Select, TextField } from '../../ui/field.tsx';
import { DialogForm } from '../../ui/form.tsx';
import { formText } from '../../ui/form-text.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { toast } from '../../ui/toast.tsx';
import { keptFor } from '../audit/audit-texts.ts';
import { SEARCH_LANGUAGES, searchedIn, searchLanguageOf } from './search-languages.ts';

interface ProjectDialogProps extends DialogState {
  readonly projectId: string;
  readonly name: string;
}

interface SettingProps {
  readonly onClose: () => void;
  readonly projectId: string;
  readonly field: 'retentionDays' | 'searchLanguage';
  /** Returns a sentence about the change. */
  readonly save: (value: string) => Promise<string>;
  readonly children: (project: Project, error: string | undefined) => ReactNode;
}

interface ProjectSettingDialogProps extends SettingProps {
  readonly isOpen: boolean;
  readonly title: string;
  readonly description: string;
}

function ProjectSettingDialog(props: ProjectSettingDialogProps) {
  const { isOpen, onClose, title, description } = props;
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={title} description={description}>
      <StoredSetting {...props} />
    </Dialog>
  );
}

function StoredSetting(props: SettingProps) {
  const { client } = useService();
  const { projectId, field } = props;
  const query = useQuery({
    queryKey: ['project', projectId, field],
    queryFn: ({ signal }) => client.projects.get(projectId, { signal }),
    // A later read must not replace what the user has entered.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  return (
    <Loaded query={query} label="the project" skeleton={<Skeleton className="h-16 w-full" />}>
      {(project) => <SettingForm {...props} project={project} />}
    </Loaded>
  );
}

function SettingForm(props: SettingProps & { readonly project: Project }) {
  const { onClose, field, save, children, project } = props;
  const submit = async (form: FormData, signal: AbortSignal) => {
    toast(await save(formText(form, field).trim()));
    if (!signal.aborted) onClose();
  };
  return (
    <DialogForm
      onClose={onClose}
      submitLabel="Save"
      onSubmit={submit}
      isBesideField={(error) => namesFields(error, [field])}
    >
      {(error) => children(project, fieldError(error, field))}
    </DialogForm>
  );
}

export function RetentionDialog({ name, ...dialog }: ProjectDialogProps) {
  const { client } = useService();
  const save = async (typed: string) => {
    const days = typed === '' ? null : Number(typed);
    await client.projects.setRetention(dialog.projectId, days);
    return `Histories are kept ${keptFor(days)}.`;
  };
  return (
    <ProjectSettingDialog
      {...dialog}
      title={`How long “${name}” keeps histories`}
      description="Sessions that were closed earlier, and older messages of active sessions, are deleted by the next daily pass. This cannot be undone."
      field="retentionDays"
      save={save}
    >
      {({ retentionDays }, error) => (
        <TextField
          label="Days"
          name="retentionDays"
          type="number"
          min={1}
          max={3650}
          step={1}
          defaultValue={retentionDays ?? ''}
          hint="Leave it empty to keep them for ever."
          autoComplete="off"
          error={error}
        />
      )}
    </ProjectSettingDialog>
  );
}

export function SearchLanguageDialog({ name, ...dialog }: ProjectDialogProps) {
  const { client } = useService();
  const save = async (value: string) => {
    const language = searchLanguageOf(value);
    await client.projects.setSearchLanguage(dialog.projectId, language);
    return `Messages are searched ${searchedIn(language)}.`;
  };
  return (
    <ProjectSettingDialog
      {...dialog}
      title={`The language in which “${name}” is searched`}
      description="With a language, a word finds its other forms too, and words such as “the” are left out. After a change all messages are indexed again."
      field="searchLanguage"
      save={save}
    >
      {({ searchLanguage }, error) => (
        <Select
          label="Language"
          name="searchLanguage"
          defaultValue={searchLanguage ?? ''}
          error={error}
        >
          <option value="">None: words as they are</option>
          {Object.entries(SEARCH_LANGUAGES).map(([value, title]) => (
            <option key={value} value={value}>
              {title}
            </option>
          ))}
        </Select>
      )}
    </ProjectSettingDialog>
  );
}
