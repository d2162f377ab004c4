import type { Project } from '@session/client';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode, SyntheticEvent } from 'react';
import { useService } from '../../service/service.ts';
import { Dialog, FormActions } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { fieldError } from '../../ui/failure.ts';
import { formText } from '../../ui/form-text.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { toast } from '../../ui/toast.tsx';
import { useSubmit } from '../../ui/use-submit.ts';

export interface ProjectDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly projectId: string;
  readonly name: string;
}

interface SettingProps {
  readonly onClose: () => void;
  readonly projectId: string;
  readonly field: 'retentionDays' | 'searchLanguage';
  /** Stores the value of the field. Returns a sentence about the change. */
  readonly save: (value: string) => Promise<string>;
  /** Renders the field of the form, with the sentence of the API about it. */
  readonly children: (project: Project, error: string | undefined) => ReactNode;
}

interface ProjectSettingDialogProps extends SettingProps {
  readonly isOpen: boolean;
  readonly title: string;
  readonly description: string;
}

export function ProjectSettingDialog(props: ProjectSettingDialogProps) {
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
    // What the user has entered stays.
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
  const { isBusy, error, submit } = useSubmit();
  const send = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    const value = formText(new FormData(event.currentTarget), field).trim();
    submit(async () => {
      toast(await save(value));
      onClose();
    });
  };
  const sentence = fieldError(error, field);
  return (
    <form onSubmit={send} className="grid gap-4">
      {children(project, sentence)}
      {error && !sentence ? <ErrorNotice error={error} /> : null}
      <FormActions onClose={onClose} submitLabel="Save" isBusy={isBusy} />
    </form>
  );
}
