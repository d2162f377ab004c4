import { useService } from '../../service/service.ts';
import { Select } from '../../ui/field.tsx';
import { type ProjectDialogProps, ProjectSettingDialog } from './project-setting-dialog.tsx';
import { SEARCH_LANGUAGES, searchedIn, searchLanguageOf } from './search-languages.ts';

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
