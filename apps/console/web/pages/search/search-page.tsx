import { getRouteApi } from '@tanstack/react-router';
import { EmptyState } from '../../ui/empty-state.tsx';
import { TextField } from '../../ui/field.tsx';
import { Page } from '../../ui/page.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { useLateText } from '../sessions/use-late-text.ts';
import { FoundList } from './found-list.tsx';

const route = getRouteApi('/signed-in/projects/$projectId/search');
const MAX_LENGTH = 200;

export function SearchPage() {
  const { projectId } = route.useParams();
  return (
    <Page>
      <PageHeader title="Search" description="What people and agents said in this project." />
      <Search key={projectId} projectId={projectId} />
    </Page>
  );
}

function Search({ projectId }: { readonly projectId: string }) {
  const { q } = route.useSearch();
  const navigate = route.useNavigate();
  const show = (words: string) =>
    void navigate({ search: words === '' ? {} : { q: words }, replace: true, resetScroll: false });
  const [text, setText] = useLateText(q ?? '', show);
  return (
    <div className="grid gap-3">
      <search aria-label="Messages">
        <TextField
          label="Words that were said"
          type="search"
          name="q"
          maxLength={MAX_LENGTH}
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </search>
      {q === undefined ? (
        <EmptyState title="Find a sentence in any session.">
          All words must be in one message. Put <q>words in this order</q> in quotation marks, write{' '}
          <em>or</em> between alternatives, and a minus before a word that must be missing.
        </EmptyState>
      ) : (
        <FoundList projectId={projectId} q={q} onClear={() => show('')} />
      )}
    </div>
  );
}
