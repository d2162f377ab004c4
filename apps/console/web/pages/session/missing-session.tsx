import type { Session } from '@session/contract';
import { ButtonLink } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';

/** A session that does not exist for this user: deleted, perhaps meanwhile, or of a project that they are no member of. */
export function MissingSession({ last }: { readonly last: Session | undefined }) {
  const title = last ? `“${last.name}” was deleted` : 'There is no such session';
  return (
    <div className="p-4 sm:p-6">
      <h1 className="sr-only">{title}</h1>
      <EmptyState
        title={title}
        action={
          last ? (
            <ButtonLink to="/projects/$projectId" params={{ projectId: last.projectId }}>
              Sessions of the project
            </ButtonLink>
          ) : (
            <ButtonLink to="/">Your projects</ButtonLink>
          )
        }
      >
        {last
          ? 'Somebody deleted it, or you are no longer a member of its project. Its history cannot be read any more.'
          : 'It was deleted, or it belongs to a project that you are not a member of. Ask whoever sent you the link.'}
      </EmptyState>
    </div>
  );
}
