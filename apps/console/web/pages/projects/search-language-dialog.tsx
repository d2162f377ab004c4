import type { Project } from '@session/client';
import { useQuery } from '@tanstack/react-query';
import type { SyntheticEvent } from 'react';
import { useService } from '../../service/service.ts';
import { Dialog, FormActions } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Select } from '../../ui/field.tsx';
import { formText } from '../../ui/form-text.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { toast } from '../../ui/toast.tsx';
import { useSubmit } from '../../ui/use-submit.ts';
import { SEARCH_LANGUAGES, searchedIn, searchLanguageOf } from './search-languages.ts';

interface SearchLanguageDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly projectId: string;
  readonly name: string;
}

export function SearchLanguageDialog(props: SearchLanguageDialogProps) {
  const { isOpen, onClose, name } = props;
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={`The language in which “${name}” is searched`}
      description="With a language, a word finds its other forms too, and words such as “the” are left out. After a change all messages are indexed again."
    >
      <CurrentLanguage {...props} />
    </Dialog>
  );
}

function CurrentLanguage(props: SearchLanguageDialogProps) {
  const { client } = useService();
  const { projectId } = props;
  const query = useQuery({
    queryKey: ['project', projectId, 'search-language'],
    queryFn: ({ signal }) => client.projects.get(projectId, { signal }),
    // What is chosen stays.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  return (
    <Loaded query={query} label="the project" skeleton={<Skeleton className="h-16 w-full" />}>
      {({ searchLanguage }) => <LanguageForm {...props} language={searchLanguage} />}
    </Loaded>
  );
}

function LanguageForm({
  onClose,
  projectId,
  language,
}: SearchLanguageDialogProps & { readonly language: Project['searchLanguage'] }) {
  const { client } = useService();
  const { isBusy, error, submit } = useSubmit();
  const save = async (form: FormData) => {
    const chosen = searchLanguageOf(formText(form, 'searchLanguage'));
    await client.projects.setSearchLanguage(projectId, chosen);
    toast(`Messages are searched ${searchedIn(chosen)}.`);
    onClose();
  };
  const send = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    submit(async () => await save(form));
  };
  return (
    <form onSubmit={send} className="grid gap-4">
      <Select label="Language" name="searchLanguage" defaultValue={language ?? ''}>
        <option value="">None: words as they are</option>
        {Object.entries(SEARCH_LANGUAGES).map(([value, title]) => (
          <option key={value} value={value}>
            {title}
          </option>
        ))}
      </Select>
      {error ? <ErrorNotice error={error} /> : null}
      <FormActions onClose={onClose} submitLabel="Save" isBusy={isBusy} />
    </form>
  );
}
